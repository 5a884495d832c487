// Modes and options of a session. The option "mode" is the mode.
const MODES = ["ask", "code"];

export function settings(client) {
  const { has, fail } = client;
  const options = (session, offer) => [
    {
      id: "mode",
      name: "Mode",
      category: "mode",
      type: "select",
      currentValue: session.mode ?? "ask",
      options: MODES.map((value) => ({ value, name: value })),
    },
    {
      id: has("same-option-ids") ? "mode" : "model",
      name: "Model",
      category: "model",
      type: "select",
      currentValue: has("unlisted-value") ? "huge" : (session.model ?? "small"),
      options: [
        {
          group: "all",
          name: "All",
          options: ["small", "large"].map((value) => ({ value, name: value })),
        },
      ],
    },
    ...(offer.session?.configOptions?.boolean || has("boolean-unasked")
      ? [{ id: "fast", name: "Fast", type: "boolean", currentValue: session.fast ?? false }]
      : []),
  ];
  let offered = {};
  const update = (session, fields) =>
    client.notify("session/update", { sessionId: session.id, update: fields });
  return {
    of(session, offer) {
      offered = offer;
      return {
        modes: {
          currentModeId: has("unlisted-mode") ? "other" : (session.mode ?? "ask"),
          availableModes: MODES.map((id) => ({ id, name: id })),
        },
        configOptions: options(session, offer),
      };
    },
    handlers: (sessionOf) => ({
      "session/set_mode"(params) {
        const session = sessionOf(params);
        if (typeof params.modeId !== "string") {
          fail(has("params-are-internal") ? -32603 : -32602, "modeId must be a string");
        }
        if (has("set-mode-fails")) fail(-32603, "cannot set the mode");
        if (!MODES.includes(params.modeId) && !has("any-mode")) fail(-32602, "unknown mode");
        if (MODES.includes(params.modeId)) session.mode = params.modeId;
        return {};
      },
      "session/set_config_option"(params) {
        const session = sessionOf(params);
        const { configId, value } = params;
        if (typeof configId !== "string") {
          fail(has("params-are-internal") ? -32603 : -32602, "configId must be a string");
        }
        const known = { mode: MODES, model: ["small", "large"], fast: [true, false] };
        const isKnown = Object.hasOwn(known, configId) && known[configId].includes(value);
        if (!isKnown && !has("any-option")) fail(-32602, "unknown option or value");
        if (isKnown) session[configId] = value;
        const all = options(session, offered);
        return {
          configOptions: has("partial-options") ? all.filter(({ id }) => id === configId) : all,
        };
      },
    }),
    /** Keeps modes and options in step. */
    after(method, params, session) {
      if (!session || has("out-of-step")) return;
      if (method === "session/set_mode") {
        update(session, {
          sessionUpdate: "config_option_update",
          configOptions: options(session, offered),
        });
      }
      if (method === "session/set_config_option" && params.configId === "mode") {
        update(session, { sessionUpdate: "current_mode_update", currentModeId: session.mode });
      }
    },
  };
}
