/**
 * The element `discreet-questionnaire`: a question or questionnaire of a collector inside another site.
 *
 *     <script type="module" src="https://example.org/discreet/element.min.js"></script>
 *     <discreet-questionnaire src="https://collector.example/collections/ID" lang="de" cap="12"></discreet-questionnaire>
 *
 * It sends `discreet-opened`, `discreet-answered`, `discreet-sent` and `discreet-refused`, none of which holds an answer.
 */

import face from "discreet-face";
import style from "discreet-style";

/** What an environment without documents, such as Node, can load. */
const Element = globalThis.HTMLElement ?? /** @type {typeof HTMLElement} */ (/** @type {unknown} */ (class {}));

/** @type {CSSStyleSheet | undefined} */
let sheet;

/** The style of all elements, which no content security policy keeps out, and which leaves the page alone. */
function styled() {
  if (!sheet) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(style);
  }
  return sheet;
}

/** One question or questionnaire, in the place where it stands. */
export class DiscreetQuestionnaire extends Element {
  static observedAttributes = ["src", "lang", "cap"];

  /** @type {{end: () => void, resume: () => void, speak: () => unknown} | null} */
  #shown = null;
  /** What is shown: it is made anew when this changes. */
  #source = "";
  #isPlanned = false;
  #isAway = false;

  constructor() {
    super();
    this.attachShadow({ mode: "open" }).adoptedStyleSheets = [styled()];
  }

  /** The address of the collection, which may end in `#invitation=...`. */
  get src() {
    return this.getAttribute("src") ?? "";
  }

  set src(text) {
    this.setAttribute("src", text);
  }

  /** The budget with which the person's choice begins, where this site has none yet; it is theirs to change. */
  get cap() {
    return this.getAttribute("cap") ?? "";
  }

  set cap(text) {
    this.setAttribute("cap", text);
  }

  connectedCallback() {
    this.#plan();
  }

  disconnectedCallback() {
    this.#plan();
  }

  /** @param {string} name @param {string | null} before @param {string | null} now */
  attributeChangedCallback(name, before, now) {
    if (before === now) return;
    if (name === "lang" && this.#shown) this.#shown.speak();
    else this.#plan();
  }

  /** Look again once all that is done to the element at once is done: one that is moved is not ended in between. */
  #plan() {
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    queueMicrotask(() => {
      this.#isPlanned = false;
      this.#look();
    });
  }

  #look() {
    const { src, cap } = this;
    if (!this.isConnected) {
      if (this.#shown && !this.#isAway) this.#shown.end();
      this.#isAway = true;
    } else if (!this.#shown || src !== this.#source) {
      this.#shown?.end();
      this.#source = src;
      const wanted = () => [this.lang || (this.closest("[lang]")?.getAttribute("lang") ?? ""), ...navigator.languages].filter((name) => name !== "");
      const tell = (/** @type {string} */ name, /** @type {object} */ detail) => {
        if (this.#source === src) this.dispatchEvent(new CustomEvent(`discreet-${name}`, { bubbles: true, composed: true, detail }));
      };
      const limit = Number(cap) > 0 && Number(cap) < Infinity ? cap.trim() : "";
      const root = /** @type {ShadowRoot} */ (this.shadowRoot);
      this.#shown = face().begin({ root, base: import.meta.url, src, cap: limit, wanted, tell });
      this.#isAway = false;
    } else if (this.#isAway) {
      this.#isAway = false;
      this.#shown.resume();
    }
  }
}

if (globalThis.customElements && !customElements.get("discreet-questionnaire")) customElements.define("discreet-questionnaire", DiscreetQuestionnaire);
