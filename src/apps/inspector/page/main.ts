import { App } from "./app.ts";
import { parseLink, splitToken } from "./link.ts";
import { showPage } from "./page.ts";
import { embeddedSource, servedSource } from "./source.ts";

/*
 * The script of the page of `dragoman inspect`.
 */

/** Takes the token out of the address, and keeps it for this tab, so that the page can be loaded again. */
function takeToken(): string | undefined {
  const { token, rest } = splitToken(location.hash);
  try {
    if (token === undefined) return sessionStorage.getItem("token") ?? undefined;
    sessionStorage.setItem("token", token);
  } catch {
    // Without storage the token lives as long as the page.
  }
  if (token !== undefined)
    history.replaceState(undefined, "", rest === "" ? location.pathname : rest);
  return token;
}

function start(): void {
  const source = embeddedSource(document) ?? servedSource(takeToken());
  const app = new App(source, parseLink(location.hash));
  try {
    const theme = localStorage.getItem("theme");
    if (theme === "light" || theme === "dark") {
      app.theme = theme;
      document.documentElement.dataset["theme"] = theme;
    }
  } catch {
    // The theme of the system is used.
  }
  const root = document.createElement("div");
  root.className = "app";
  document.body.append(root);
  showPage(app, root);
  void app.start();
}

start();
