/** The text of changed parameters in the SDK's event: protobuf's compact text format, where zero is left out. */
import type { consensusTx } from '../../proto/index.ts'

const field = (name: string, value: bigint | number): string => (BigInt(value) === 0n ? '' : `${name}:${value} `)

const group = (name: string, fields: string): string => `${name}:<${fields}> `

/** Ends in a space, as there. The version is never part of an update. */
export const formatUpdate = ({ block, evidence, validator, abci, auth }: consensusTx.MsgUpdateParams): string => {
  const age = evidence?.maxAgeDuration
  const duration = group('max_age_duration', field('seconds', age?.seconds ?? 0n) + field('nanos', age?.nanos ?? 0))
  return [
    group('block', field('max_bytes', block?.maxBytes ?? 0n) + field('max_gas', block?.maxGas ?? 0n)),
    group(
      'evidence',
      field('max_age_num_blocks', evidence?.maxAgeNumBlocks ?? 0n) +
        duration +
        field('max_bytes', evidence?.maxBytes ?? 0n),
    ),
    group('validator', (validator?.pubKeyTypes ?? []).map((type) => `pub_key_types:${JSON.stringify(type)} `).join('')),
    'version:<> ',
    abci === undefined ? '' : group('abci', field('vote_extensions_enable_height', abci.voteExtensionsEnableHeight)),
    auth === undefined
      ? ''
      : group('authority', auth.authority === '' ? '' : `authority:${JSON.stringify(auth.authority)} `),
  ].join('')
}
