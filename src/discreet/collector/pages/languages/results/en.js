/** The sentences of the results in English. An entry with forms is chosen by the number `n`. */

import shared from "../shared/en.js";

export default {
  ...shared,
  skip: "To the results",
  titleOf: "{title}: results",

  // how far it is
  strategies: {
    each: { one: "{n} question; everybody answered it.", other: "{n} questions; everybody answered all of them." },
    one: { one: "{n} question; everybody answered it.", other: "{n} questions; everybody answered one of them, drawn at random." },
    together: { one: "{n} question; everybody answered it.", other: "{n} questions; everybody answered all of them, in one report." },
  },
  fewer: { one: "Fewer than {n} report so far.", other: "Fewer than {n} reports so far." },
  fewerText: "Until then nothing is shown, so that no small group stands out.",
  reportsTold: { one: "{n} report.", other: "{n} reports." },
  collectionIs: { open: "The collection is open.", waiting: "The collection is not open yet.", closed: "The collection is closed." },
  batches: "Reports are added at least {minimum} at a time.",
  rejected: "Rejected: {refused}.",

  // what is shown, and how
  oneQuestion: "Question",
  allQuestions: "all at a glance",
  method: "Method",
  live: "update as reports come in",
  methods: { unbiased: "unbiased", project: "projected", likelihood: "most likely", shrink: "shrunk" },
  methodTexts: {
    unbiased: "Right on average, for every share: the numbers to add up, compare and publish. Shares of rare answers may be negative.",
    project: "The closest shares that are not negative and add up to 100%: smaller errors, but small shares come out slightly too low or too high.",
    likelihood: "The shares that make these reports most likely: never negative.",
    shrink: "Pulled towards each other as far as the noise suggests: the smallest error overall, at the expense of rare answers.",
  },
  threeMethods: "The same reports by three methods",
  threeMethodsChart: "Shares by three methods",

  // shares
  shares: "Shares",
  sharesOf: { one: "{shown} of {n} share", other: "{shown} of {n} shares" },
  chartOf: { one: "Share of {n} value with its interval", other: "Shares of {n} values with their intervals" },
  mostFrequent: "The most frequent answer.",
  answered: {
    about: "About {share} answered “{name}”.",
    between: "About {share} answered “{name}”: probably between {low} and {high}.",
    vague: "Too uncertain to say how many answered “{name}”: it may be anything between {low} and {high}.",
  },
  ticked: {
    about: "About {share} ticked this box.",
    between: "About {share} ticked this box: probably between {low} and {high}.",
    vague: "Too uncertain to say how many ticked this box: it may be anything between {low} and {high}.",
  },
  keySample: "uncertainty from the size of the sample",
  keyPrivacy: "added by the privacy protection.",
  truth: "In 95 of 100 surveys, an interval contains the truth.",
  truthOpen: "In 95 of 100 surveys, an interval contains the truth, however often you look while answers come in; once the collection is closed, intervals become shorter.",
  periods: {
    one: "This is {n} period, in which the same people may have answered: the intervals remain valid even if all of them answered every time.",
    other: "These are {n} periods together, in which the same people may have answered: the intervals remain valid even if all of them answered every time.",
  },
  numbers: {
    title: "Figures",
    mean: "Mean: about {value}, probably between {low} and {high}.",
    median: "Median: about {value}, probably between {low} and {high}.",
    spread: "Standard deviation: about {value}, probably between {low} and {high}.",
    cut: "of numbers cut at {low} and {high}",
    cutText: "Numbers above {high} were counted as {high}, and numbers below {low} as {low}. What lies beyond is in none of these figures.",
    given: "About {share} of people gave a number; the figures are about them.",
    few: "Too few reports to say anything of the mean.",
    nodes: "The numbers that answers were rounded to at random, each with its share",
    ranges: "Shares of ranges",
    rangesChart: "Shares of ranges of numbers",
    range: "{low} to {high}",
    by: "Means by group",
  },
  lacks: { stderr: "No standard error:", interval: "No interval:" },
  influence: { one: "One fake report can count as up to {n} person for one answer.", other: "One fake report can count as up to {n} people for one answer." },
  everyShare: "Every share with its interval",
  column: { answer: "answer", share: "share", stderr: "standard error", low: "from", high: "to", group: "group", pair: "between", difference: "difference", p: "p, for all tests" },
  onMap: "On the map",
  mapOf: "A map of the shares",
  blocks: "Groups, which reports show openly",
  blocksCaption: "The share of each group, simply counted",

  // all questions at a glance
  glance: "All questions at a glance",
  glanceTruth: "An interval contains the truth in 95 of 100 surveys.",
  glanceTruthOpen: "An interval contains the truth in 95 of 100 surveys, however often you look while answers come in.",
  drawnAtEnds: "Estimates below 0% or above 100% are drawn at the end of the scale.",
  moreAbout: "More about this question",
  moreAboutThis: "More about this question: {question}",
  tooFewYet: "Too few reports to be shown yet.",
  sharesOfAnswers: "Shares of the answers to: {question}",
  mostFrequentOf: { one: "The {shown} most frequent of {n} answer.", other: "The {shown} most frequent of {n} answers." },

  // two questions crossed
  crossed: "Two questions crossed",
  crossedAmong: "Two questions crossed: {group}",
  uncrossed: "Everybody answered one question only, so no two answers come from the same person: questions of this survey cannot be crossed.",
  inRows: "Rows",
  inColumns: "Columns",
  among: "Among",
  everybody: "everybody together",
  pair: {
    all: "The most frequent pair: “{row}” with “{column}”, about {share} of all people.",
    allBetween: "The most frequent pair: “{row}” with “{column}”, about {share} of all people, probably between {low} and {high}.",
    group: "The most frequent pair: “{row}” with “{column}”, about {share} of this group.",
    groupBetween: "The most frequent pair: “{row}” with “{column}”, about {share} of this group, probably between {low} and {high}.",
    vague: "Too uncertain to say which pair of answers is the most frequent.",
  },
  together: {
    sure: "The answers to the two questions go together: if they did not, a table like this would come about in fewer than 1 of {surveys} surveys.",
    likely: {
      one: "The answers to the two questions go together: if they did not, a table like this would come about in {n} of {surveys} surveys.",
      other: "The answers to the two questions go together: if they did not, a table like this would come about in {n} of {surveys} surveys.",
    },
    unclear: "The table does not show that the answers to the two questions go together; that does not prove that they do not.",
  },
  crossedCaption: {
    one: "Of {n} person, the share who gave both answers; below it, where the true share lies in 95 of 100 surveys",
    other: "Of {n} people, the share who gave both answers; below it, where the true share lies in 95 of 100 surveys",
  },
  shownAtEnds: "Estimates below 0% are shown as 0%, those above 100% as 100%; the file has them as they are.",
  singleLookIntervals: "These intervals are made for a single look: decide once the collection is closed.",
  tooLarge: "A table of {rows} by {columns} answers is too large for a page.",
  saveTable: "Save the table (CSV)",

  // by group
  byGroup: "By group",
  groupsBy: "Groups by",
  sharesBy: "Shares by {by}",
  notSaid: "not said",
  tooFewFor: "Too few reports to be shown: {groups}.",
  noDifference: "No difference between groups is larger than chance and the privacy protection would explain.",
  noDifferenceOfTwo: "No difference between the two groups is larger than chance and the privacy protection would explain.",
  differencesBy: "By “{by}”, these differences are larger than chance would explain:",
  differs: "“{name}” is more frequent in the group “{more}” than in “{less}”, by about {share} of people.",
  moreInTable: { one: "And {n} more, in the table.", other: "And {n} more, in the table." },
  differencesCaption: "Differences between groups; p is adjusted for all of them (Holm)",
  minus: "{first} minus {second}",
  singleLook: "These p-values assume a single look. Decide once the collection is closed, not when one of them happens to be small.",

  // over time
  overDays: "Over days",
  overDaysChart: "Shares over days",
  settling: "How the estimates settle",
  settlingChart: "Shares as reports come in",
  settlingText: "Since this page was opened. Four times as many reports halve an interval.",

  // save and publish
  publish: "Save and publish",
  release: "Release report",
  releaseJson: "Release report, JSON",
  releaseText: "The release report is a single file made for publication: what was asked and promised, the proof, the method, the numbers and what they do not say.",
};
