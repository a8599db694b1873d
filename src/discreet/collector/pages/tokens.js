/** Asking for a token, once a tab. */

import { setToken, tokenOf } from "./api.js";
import { el, show } from "./dom.js";

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
        el("label", { class: "field", for: `token-${role}` }, el("span", {}, `The ${role} token, as it was shown when the collector started`), input),
        said ? el("p", { role: "alert" }, said) : null,
        el("button", {}, "Continue"),
      ),
    );
  };
  const attempt = async () => {
    try {
      show(at);
      await go();
    } catch (problem) {
      const { code, message } = /** @type {{code?: string, message: string}} */ (problem);
      if (code === "token") form("This is not the token.");
      else show(at, el("div", { class: "card alarm", role: "alert" }, el("p", {}, message)));
    }
  };
  if (tokenOf(role)) await attempt();
  else form("");
}
