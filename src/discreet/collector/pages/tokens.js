/** Asking for a token, once a tab. */

import { failure, setToken, tokenOf } from "./api.js";
import { el, show } from "./dom.js";
import { say } from "./languages.js";

/**
 * Ask for the token of a role in an element, and go on with it; at once if this tab has one.
 * @param {Element} at
 * @param {"admin" | "analyst"} role
 * @param {() => Promise<void>} go
 */
export async function withToken(at, role, go) {
  const form = (/** @type {string} */ said) => {
    const input = el("input", { type: "password", id: `token-${role}`, autocomplete: "off", required: true });
    show(
      at,
      el(
        "form",
        {
          class: "card",
          onsubmit: async (/** @type {Event} */ event) => {
            event.preventDefault();
            setToken(role, input.value.trim());
            await attempt();
          },
        },
        el("label", { class: "field", for: `token-${role}` }, el("span", {}, say(`tokenOf.${role}`)), input),
        said ? el("p", { role: "alert" }, said) : null,
        el("button", {}, say("goOn")),
      ),
    );
  };
  const attempt = async () => {
    try {
      show(at);
      await go();
    } catch (problem) {
      if (/** @type {{code?: string}} */ (problem).code === "token") form(say("tokenWrong"));
      else show(at, el("div", { class: "card alarm", role: "alert" }, el("p", {}, failure(problem))));
    }
  };
  if (tokenOf(role)) await attempt();
  else form("");
}
