const UPDATES = 200_000;
const LARGE = 60;
const SEQUENTIAL = 20_000;
const CONCURRENT = 60_000;

const peers = (producer, count, ...args) => [
  {
    name: "baseline: split + JSON.parse",
    command: ["consumers/baseline.mjs", producer, count, ...args],
  },
  { name: "dragoman Peer", command: ["consumers/peer.mjs", producer, count, ...args] },
  { name: "official SDK client", command: ["consumers/sdk.mjs", producer, count, ...args] },
  { name: "vscode-jsonrpc", command: ["consumers/vscode.mjs", producer, count, ...args] },
];

const withTarget = (variants, target) =>
  variants.map((variant) =>
    variant.name.startsWith("dragoman") ? { ...variant, target } : variant,
  );

const trips = (mode, count) => [
  { name: "bare loop", command: ["consumers/trips-bare.mjs", mode, count] },
  { name: "dragoman Peer", command: ["consumers/trips-peer.mjs", mode, count], target: "≤ 1.5" },
  { name: "official SDK client", command: ["consumers/trips-sdk.mjs", mode, count] },
  { name: "vscode-jsonrpc", command: ["consumers/trips-vscode.mjs", mode, count] },
];

export default {
  title: "The core: wire and rpc",
  parts: [
    {
      title: "200,000 updates of about 230 bytes from a child process",
      variants: withTarget(peers("updates", UPDATES), "≤ 1.25, RSS ≤ 1.5"),
    },
    {
      title: `${LARGE} frames of 1 MB, one long text`,
      variants: withTarget(peers("large", LARGE, "text"), "≤ 1.2, RSS ≤ 1.5"),
    },
    {
      title: `${LARGE} frames of 1 MB, 11,200 small items each`,
      variants: withTarget(peers("large", LARGE, "items"), "≤ 1.2, RSS ≤ 1.5"),
    },
    {
      title: `${SEQUENTIAL} round trips, one after another`,
      variants: trips("sequential", SEQUENTIAL),
    },
    { title: `${CONCURRENT} round trips, 64 in flight`, variants: trips("concurrent", CONCURRENT) },
    {
      title: "A reader that stalls for 5 s while 200,000 updates arrive",
      metric: "stalledRssMb",
      label: "RSS during the stall",
      unit: "MB",
      rounds: 2,
      variants: [
        {
          name: "dragoman Peer + Inbox",
          command: ["consumers/stall-peer.mjs", UPDATES],
          target: "≤ 100 MB",
        },
        { name: "official SDK client", command: ["consumers/stall-sdk.mjs", UPDATES] },
      ],
    },
  ],
};
