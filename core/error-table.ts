/**
 * The form of the list of errors: one table for each codespace, beside the code that raises its errors.
 * `scripts/error-list.ts` gathers all tables, and `docs/errors.md` is generated from them.
 */

export interface ErrorEntry {
  /** Stable within the codespace. A number is never given to another failure. */
  readonly code: number
  /** What the message says. `...` stands for details that differ each time. */
  readonly text: string
  /** Why it happens. */
  readonly cause: string
  /** What the one who gets it can do. */
  readonly action: string
}

export interface ErrorTable {
  readonly codespace: string
  /** What the codespace is about, and where its errors are seen. */
  readonly about: string
  readonly entries: Readonly<Record<string, ErrorEntry>>
  /** Numbers that were in use once, and are not given again. */
  readonly retired: readonly number[]
}

type Codes<Entries extends Readonly<Record<string, ErrorEntry>>> = {
  readonly [Name in keyof Entries]: Entries[Name]['code']
}

/** The table of a codespace, and its codes by name. */
export const errorTable = <const Entries extends Readonly<Record<string, ErrorEntry>>>(
  codespace: string,
  about: string,
  entries: Entries,
  retired: readonly number[] = [],
): ErrorTable & { readonly entries: Entries; readonly codes: Codes<Entries> } => {
  const codes = Object.fromEntries(Object.entries(entries).map(([name, { code }]) => [name, code])) as Codes<Entries>
  return { codespace, about, entries, retired, codes }
}
