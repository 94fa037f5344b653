/** The read-only gRPC methods of cosmos.slashing.v1beta1.Query. */
import type { MessageInitShape } from '@bufbuild/protobuf'
import { CodedError } from '../../core/errors.ts'
import { toSecondsAndNanos } from '../../core/time.ts'
import { type slashing, slashingQuery } from '../../proto/index.ts'
import { handleQuery } from '../handlers.ts'
import type { QueryHandler } from '../module.ts'
import { takePage } from '../pages.ts'
import { queryRefusal } from '../sdk-errors.ts'
import { formatConsensusAddress, parseConsensusAddress } from '../validator-addresses.ts'
import { listSigningInfos, readParams, readSigningInfo, type SigningInfo } from './keeper/signing-info.ts'
import { ADDRESS_BYTES } from './keys.ts'
import { printParams } from './params.ts'

const parseAddress = (text: string): Uint8Array => {
  if (text === '') throw queryRefusal('invalidArgument', 'invalid request')
  try {
    return parseConsensusAddress(text)
  } catch (error) {
    if (!(error instanceof CodedError)) throw error
    throw queryRefusal('invalidArgument', error.message)
  }
}

/** Blocks since it was bonded: places follow from heights here, so the SDK's counter is computed for who asks. */
export const indexOffset = ({ startHeight }: SigningInfo, height: number): number => Math.max(0, height - startHeight)

const printInfo = (
  address: Uint8Array,
  info: SigningInfo,
  height: number,
): MessageInitShape<typeof slashing.ValidatorSigningInfoSchema> => ({
  address: formatConsensusAddress(address),
  startHeight: BigInt(info.startHeight),
  indexOffset: BigInt(indexOffset(info, height)),
  jailedUntil: toSecondsAndNanos(info.jailedUntilNs),
  tombstoned: info.tombstoned,
  missedBlocksCounter: BigInt(info.missedBlocks),
})

const { method } = slashingQuery.Query

export const slashingQueries: readonly QueryHandler[] = [
  handleQuery(method.params, ({ state }) => ({ params: printParams(readParams(state)) })),
  handleQuery(method.signingInfo, ({ state, height }, { consAddress }) => {
    const address = parseAddress(consAddress)
    const info = readSigningInfo(state, address)
    if (info === undefined) {
      throw queryRefusal('notFound', `SigningInfo not found for validator ${consAddress}`)
    }
    return { valSigningInfo: printInfo(address, info, height) }
  }),
  handleQuery(method.signingInfos, ({ state, height }, request) => {
    const { items, pagination } = takePage(
      request.pagination,
      (start) => listSigningInfos(state, start?.subarray(0, ADDRESS_BYTES)),
      ([address]) => address,
    )
    return { info: items.map(([address, info]) => printInfo(address, info, height)), pagination }
  }),
]
