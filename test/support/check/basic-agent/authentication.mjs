// Signing in. The variant `with-login` needs it.
export function authentication({ has, fail }) {
  const needsLogin = has("with-login");
  let isSignedIn = !needsLogin && !has("locked");
  const own = { id: "login", name: "Log in" };
  const terminal = {
    type: "terminal",
    id: "terminal",
    name: "Log in on a terminal",
    args: ["--login"],
    env: { LOGIN: "1" },
    ...(has("terminal-command") ? { command: "agent" } : {}),
  };
  return {
    capabilities: needsLogin ? { auth: { logout: {} } } : {},
    methods(offer) {
      if (!needsLogin) return has("terminal-unasked") ? [terminal] : [];
      const methods = has("same-method-ids") ? [own, own] : [own];
      return offer.auth?.terminal === true ? [...methods, terminal] : methods;
    },
    assertSignedIn() {
      if (!isSignedIn) fail(has("locked-is-internal") ? -32603 : -32000, "sign in first");
    },
    handlers: {
      authenticate(params) {
        if (params?.methodId !== "login" && !has("any-login")) fail(-32602, "unknown method id");
        if (!needsLogin && !has("any-login")) fail(-32602, "unknown method id");
        isSignedIn ||= !has("login-is-useless");
        return {};
      },
      ...(needsLogin || has("unadvertised-logout")
        ? {
            logout() {
              if (has("logout-fails")) fail(-32603, "cannot log out");
              isSignedIn = has("logout-keeps-login");
              return {};
            },
          }
        : {}),
    },
  };
}
