/** What requests cost beside their methods. A unit is a look-up: some tenths of a millisecond of one core. */

/** Whatever names no method, or cannot be read: pages of health, preflights, wrong types, broken JSON. */
export const PLAIN_COST = 1
/** An open WebSocket has a state here, and one in the kernel. */
export const UPGRADE_COST = 5
/** Descriptions of the routes and of the services. */
export const DESCRIPTION_COST = 5

/** Bytes of a body that are read for a unit: 15 to 50 us by kind, 0.5 ms of the most crowded that is taken. */
const BODY_BYTES = 16 * 1024
/** Characters of an answer for a unit: query/answer-cost.ts takes as many for a third of a millisecond. */
const ANSWER_CHARACTERS = 64 * 1024

/** What reading a body costs, known before it is parsed: nothing for a short one. */
export const bodyCost = (bytes: number): number => Math.floor(bytes / BODY_BYTES)

/** What an answer has cost beyond its method, known when it is there: nothing for a short one. */
export const answerCost = (length: number): number => Math.floor(length / ANSWER_CHARACTERS)
