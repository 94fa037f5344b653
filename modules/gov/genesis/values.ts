/** Values of the genesis file: every failure names the member at fault (genesis/1). */
import type { Address } from '../../../core/address.ts'
import { encodeBech32, parseAccountAddress } from '../../../core/bech32.ts'
import { bytesToKey } from '../../../core/bytes.ts'
import { MAX_UINT64 } from '../../../core/amounts.ts'
import { CodedError } from '../../../core/errors.ts'
import { failAt, parseAmount, parseArray, parseString } from '../../../core/parse.ts'

/** Entries of one list. */
export const MAX_ENTRIES = 10_000_000

export const located = <T>(path: string, parse: () => T): T => {
  try {
    return parse()
  } catch (error) {
    if (!(error instanceof CodedError) || error.codespace === 'genesis') throw error
    return failAt(path, error.message)
  }
}

export const parseOwner = (value: unknown, path: string): Address =>
  located(path, () => parseAccountAddress(parseString(value, path)))

export const parseId = (value: unknown, path: string): bigint => {
  const id = parseAmount(value, path)
  return id > 0n && id <= MAX_UINT64 ? id : failAt(path, 'must be between 1 and 2^64 - 1')
}

export const parseFlag = (value: unknown, path: string): boolean =>
  value === undefined ? false : typeof value === 'boolean' ? value : failAt(path, 'must be true or false')

export const parseText = (value: unknown, path: string): string => (value === undefined ? '' : parseString(value, path))

export const parseList = <Item>(
  value: unknown,
  path: string,
  parse: (item: unknown, path: string) => Item,
): readonly Item[] =>
  parseArray(value ?? undefined, path, MAX_ENTRIES).map((item, index) => parse(item, `${path}[${index}]`))

export function* mapAll<From, To>(items: Iterable<From>, map: (item: From) => To): Generator<To, void> {
  for (const item of items) yield map(item)
}

/** Each account once on each proposal, and all on proposals that `takes` them. */
export const checkEntries = (
  entries: readonly { readonly proposalId: bigint; readonly owner: Address }[],
  takes: (id: bigint) => boolean,
  path: string,
): void => {
  const seen = new Set<string>()
  for (const [index, { proposalId, owner }] of entries.entries()) {
    if (!takes(proposalId)) failAt(`${path}[${index}].proposal_id`, `proposal ${proposalId} takes none of them`)
    const key = `${proposalId}/${bytesToKey(owner)}`
    if (seen.has(key)) failAt(`${path}[${index}]`, `is the second of ${encodeBech32(owner)} on proposal ${proposalId}`)
    seen.add(key)
  }
}
