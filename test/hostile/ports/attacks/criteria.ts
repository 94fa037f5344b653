/** Criteria of logs as large as a filter takes: a thousand addresses, and a thousand topics at each of four places. */

const MANY = 1_000

const numbered = (digits: number, first: number): string[] =>
  Array.from({ length: MANY }, (_, index) => `0x${(first + index).toString(16).padStart(digits, '0')}`)

/** No two with different `seed` have a text in common. */
export const largeCriteria = (seed: number): { readonly address: string[]; readonly topics: string[][] } => ({
  address: numbered(40, seed * 10_000_000),
  topics: Array.from({ length: 4 }, (_, place) => numbered(64, seed * 10_000_000 + place * 1_000_000)),
})
