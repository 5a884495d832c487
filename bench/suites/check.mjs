// Measures how long the author of an agent waits for `dragoman check`, with the demo agent as the subject.
const time = (name, label, target) => ({
  name: label,
  command: ["consumers/cli-time.mjs", name],
  ...(target === undefined ? {} : { target }),
});

export default {
  title: "dragoman check",
  parts: [
    {
      title: "A check of the demo agent, from start to exit",
      metric: "wallMs",
      label: "wall time",
      rounds: 1,
      variants: [
        time("demo-prompt", "one prompt to the demo agent"),
        time("check-none", "dragoman check --model none", "< 20 s"),
        time("check", "dragoman check", "< 60 s"),
      ],
    },
  ],
};
