const DELTAS = 200_000;

const adapter = (...args) => ["consumers/adapter.mjs", ...args];

/** From the start of the agent's process to the first answer, through initialize and session/new. */
const firstAnswers = (what, servers) =>
  [
    ["first chunk", "firstMs"],
    ["end", "wallMs"],
  ].map(([where, metric]) => ({
    title: `From the start to the ${where} of the first answer, ${what}`,
    metric,
    label: "time",
    variants: [
      { name: "Droid's own ACP mode", command: adapter("first", "native", servers) },
      { name: "droid-acp", command: adapter("first", "dragoman", servers) },
    ],
  }));

export default {
  title: "droid-acp",
  parts: [
    {
      title: "200,000 text deltas from Droid to the client, CPU time of the adapter only",
      variants: [
        {
          name: "baseline: parse + stringify + write",
          command: adapter("relay", "baseline", DELTAS),
        },
        { name: "droid-acp", command: adapter("relay", "dragoman", DELTAS), target: "≤ 2" },
      ],
    },
    {
      title: "Memory of the idle adapter process",
      metric: "idleRssMb",
      label: "RSS",
      unit: "MB",
      rounds: 2,
      variants: [
        { name: "one session, one turn", command: adapter("memory", 1, 1) },
        { name: "5 sessions, 10 turns each", command: adapter("memory", 5, 10), target: "< 75 MB" },
      ],
    },
    {
      title: "session/new with a real Droid",
      metric: "wallMs",
      label: "time",
      rounds: 3,
      variants: [
        { name: "cold", command: adapter("new", "cold") },
        { name: "with a process started ahead", command: adapter("new", "warm"), target: "≤ 0.33" },
      ],
    },
    ...firstAnswers("without MCP servers", 0),
    ...firstAnswers("with two MCP servers", 2),
  ],
};
