/** cosmos.base.node.v1beta1.Service: what this node is set to, and how far it is. */
import { create, toBinary } from '@bufbuild/protobuf'
import { DENOMINATION } from '../core/amounts.ts'
import { queryRefusal } from '../modules/sdk-errors.ts'
import { node } from '../proto/index.ts'
import { firstHeight, requireHeader, type ChainView } from './chain-view.ts'

export const NODE_SERVICE = '/cosmos.base.node.v1beta1.Service/'

const NS_PER_SECOND = 1_000_000_000n

const config = ({ settings }: ChainView) =>
  create(node.ConfigResponseSchema, {
    // A DecCoin: 18 digits behind the point.
    minimumGasPrice: `${settings.minimumGasPriceAnat}.${'0'.repeat(18)}${DENOMINATION}`,
    pruningKeepRecent: String(settings.pruning.keepRecent),
    pruningInterval: String(settings.pruning.interval),
    haltHeight: 0n,
  })

const status = (view: ChainView) => {
  const { hash, timeNs } = requireHeader(view, view.head)
  return create(node.StatusResponseSchema, {
    earliestStoreHeight: BigInt(firstHeight(view)),
    height: BigInt(view.head),
    timestamp: { seconds: timeNs / NS_PER_SECOND, nanos: Number(timeNs % NS_PER_SECOND) },
    appHash: hash,
  })
}

/** Throws grpc/12 for another method. */
export const nodeService = (view: ChainView, path: string): Uint8Array => {
  switch (path.slice(NODE_SERVICE.length)) {
    case 'Config':
      return toBinary(node.ConfigResponseSchema, config(view))
    case 'Status':
      return toBinary(node.StatusResponseSchema, status(view))
    default:
      throw queryRefusal('unimplemented', `unknown method ${path.slice(0, 200)}`)
  }
}
