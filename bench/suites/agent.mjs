const UPDATES = 200_000;
const STALL_MS = 5000;

const sender = (variant, ...args) => ["consumers/agent-sender.mjs", variant, UPDATES, ...args];

export default {
  title: "The agent toolkit",
  parts: [
    {
      title: "200,000 updates from an agent to its client",
      variants: [
        { name: "baseline: JSON.stringify + write", command: sender("plain") },
        { name: "the same, 256 updates per write", command: sender("batched") },
        { name: "dragoman serveAgent", command: sender("dragoman"), target: "≤ 1.3" },
        {
          name: "dragoman serveAgent on v2",
          command: sender("dragoman", 0, 2),
          target: "≤ 1.95",
        },
        { name: "official SDK agent", command: sender("sdk") },
      ],
    },
    {
      title: "The same, with a client that stalls for 5 s",
      metric: "turnRssMb",
      label: "peak RSS during the turn",
      unit: "MB",
      rounds: 2,
      variants: [
        {
          name: "dragoman serveAgent",
          command: sender("dragoman", STALL_MS),
          target: "≤ 100 MB",
        },
        { name: "official SDK agent", command: sender("sdk", STALL_MS) },
      ],
    },
  ],
};
