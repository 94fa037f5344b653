/** What the chain says of its own denomination. Of others nothing is known. */
import { type MessageInitShape } from '@bufbuild/protobuf'
import { DECIMALS, DENOMINATION, DISPLAY_DENOMINATION } from '../../core/amounts.ts'
import type { MetadataSchema } from '../../proto/gen/cosmos/bank/v1beta1/bank_pb.ts'

export const DENOM_METADATA: readonly MessageInitShape<typeof MetadataSchema>[] = [
  {
    description: 'The native token: gas of both transaction families, and the stake of validators.',
    denomUnits: [
      { denom: DENOMINATION, exponent: 0, aliases: ['attonat'] },
      { denom: DISPLAY_DENOMINATION, exponent: DECIMALS, aliases: [] },
    ],
    base: DENOMINATION,
    display: DISPLAY_DENOMINATION,
    name: DISPLAY_DENOMINATION,
    symbol: DISPLAY_DENOMINATION,
  },
]
