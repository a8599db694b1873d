/** Why nothing is asked, for a person. */

import * as participant from "./background.js";
import { el } from "./dom.js";
import { dated, say } from "./languages.js";

/**
 * What went wrong with a collection, as a heading and a card in the language that is spoken when they are made.
 * @param {any} problem
 * @param {string} address of the collection
 * @param {() => string} [away] what is said where the collector cannot be reached
 */
export async function refusal(problem, address, away = () => say("awayText")) {
  const isRefused = problem instanceof participant.Refused;
  const isClosed = isRefused && problem.code === "closed";
  const isMissing = isRefused && /\(status 404\)/.test(problem.message);
  const isAway = !isRefused || ["unreachable", "full"].includes(problem.code);
  const told = isClosed ? await participant.about(address).catch(() => null) : null;
  const isWaiting = told && (told.state === "waiting" || Date.parse(told.opens) > Date.now());
  const reason = () => {
    if (isMissing || isAway) return el("p", {}, isMissing ? say("notFoundText") : away());
    if (isWaiting) return el("p", {}, told.opens ? say("opensAt", { date: dated(told.opens) }) : say("notOpen"));
    if (isClosed) return el("p", {}, told?.closes && Date.parse(told.closes) <= Date.now() ? say("closedAt", { date: dated(told.closes) }) : say("closedByOwner"));
    return participant.reasonOf(problem);
  };
  return {
    isAway,
    heading: () => say(isWaiting ? "waiting" : isClosed ? "closed" : isMissing ? "notFound" : isAway ? "away" : "unsafe"),
    card: () =>
      el(
        "div",
        { class: isClosed || isMissing ? "card" : "card alarm", role: "alert" },
        reason(),
        isClosed || isMissing || isAway ? null : el("p", {}, say("unsafeText")),
        el("p", { class: "soft" }, say("nothingSent")),
      ),
  };
}
