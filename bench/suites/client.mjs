const UPDATES = 200_000;

const variants = (count, target) => [
  { name: "baseline: spawn, split + JSON.parse", command: ["consumers/client-bare.mjs", count] },
  { name: "dragoman AcpClient, for await", command: ["consumers/client-acp.mjs", count], target },
  { name: "the same, ACP v2", command: ["consumers/client-acp.mjs", count, "2"], target },
  { name: "official SDK client", command: ["consumers/client-sdk.mjs", count] },
];

export default {
  title: "The client library",
  parts: [
    {
      title: "One turn of 200,000 updates of about 230 bytes, read in a loop",
      variants: variants(UPDATES, "≤ 1.5"),
    },
    {
      title: "From the start of a trivial agent to its first update",
      metric: "startMs",
      label: "wall time",
      rounds: 15,
      variants: variants(1, "≤ 1.3"),
    },
  ],
};
