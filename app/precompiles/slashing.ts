/** 0x806: the slashing module for contracts. */
import type { Timestamp } from '@bufbuild/protobuf/wkt'
import { bytesToUtf8 } from '../../core/bytes.ts'
import { formatConsensusAddress, formatOperator, parseConsensusAddress } from '../../modules/validator-addresses.ts'
import { type slashing, slashingQuery, slashingTx } from '../../proto/index.ts'
import { defineEvent } from './abi/event.ts'
import { address, array, bool, int64, tuple, type ValueOf } from './abi/types.ts'
import { refuseCall } from './errors.ts'
import { definePrecompile, query, transaction } from './precompile.ts'
import { dec, fromPage, isZeroAddress, pageRequest, pageResponse, toDec, toPage } from './shapes.ts'

const signingInfoShape = tuple({
  /** The address of its key, not of its account. */
  validatorAddress: address,
  startHeight: int64,
  indexOffset: int64,
  /** Seconds since 1970. */
  jailedUntil: int64,
  tombstoned: bool,
  missedBlocksCounter: int64,
})

const paramsShape = tuple({
  signedBlocksWindow: int64,
  minSignedPerWindow: dec,
  /** Seconds. */
  downtimeJailDuration: int64,
  slashFractionDoubleSign: dec,
  slashFractionDowntime: dec,
})

const validatorUnjailedEvent = defineEvent('ValidatorUnjailed', { validator: address }, {})

const unjail = transaction(
  'unjail',
  { validatorAddress: address },
  { success: bool },
  (scope, { validatorAddress }) => {
    scope.requireCaller(validatorAddress)
    scope.message(slashingTx.Msg.method.unjail, { validatorAddr: formatOperator(validatorAddress) })
    scope.log(validatorUnjailedEvent, { validator: validatorAddress })
    return { success: true }
  },
)

const seconds = (time: Timestamp | undefined): bigint => time?.seconds ?? 0n

const toSigningInfo = (info: slashing.ValidatorSigningInfo): ValueOf<typeof signingInfoShape> => ({
  validatorAddress: parseConsensusAddress(info.address),
  startHeight: info.startHeight,
  indexOffset: info.indexOffset,
  jailedUntil: seconds(info.jailedUntil),
  tombstoned: info.tombstoned,
  missedBlocksCounter: info.missedBlocksCounter,
})

const getSigningInfo = query(
  'getSigningInfo',
  { consAddress: address },
  { signingInfo: signingInfoShape },
  (scope, { consAddress }) => {
    if (isZeroAddress(consAddress)) throw refuseCall('invalid consensus address')
    const request = { consAddress: formatConsensusAddress(consAddress) }
    const { valSigningInfo } = scope.query(slashingQuery.Query.method.signingInfo, request)
    if (valSigningInfo === undefined) throw refuseCall('SigningInfo not found for validator')
    return { signingInfo: { ...toSigningInfo(valSigningInfo), validatorAddress: consAddress } }
  },
)

const getSigningInfos = query(
  'getSigningInfos',
  { pagination: pageRequest },
  { signingInfos: array(signingInfoShape), pageResponse },
  (scope, { pagination }) => {
    const answer = scope.query(slashingQuery.Query.method.signingInfos, { pagination: fromPage(pagination) })
    return { signingInfos: answer.info.map(toSigningInfo), pageResponse: toPage(answer.pagination) }
  },
)

const getParams = query('getParams', {}, { params: paramsShape }, (scope) => {
  const { params } = scope.query(slashingQuery.Query.method.params, {})
  const toFraction = (text: Uint8Array | undefined): ValueOf<typeof dec> =>
    toDec(bytesToUtf8(text ?? new Uint8Array(0)))
  return {
    params: {
      signedBlocksWindow: params?.signedBlocksWindow ?? 0n,
      minSignedPerWindow: toFraction(params?.minSignedPerWindow),
      downtimeJailDuration: params?.downtimeJailDuration?.seconds ?? 0n,
      slashFractionDoubleSign: toFraction(params?.slashFractionDoubleSign),
      slashFractionDowntime: toFraction(params?.slashFractionDowntime),
    },
  }
})

export const slashingPrecompile = definePrecompile(
  'slashing',
  0x806,
  [validatorUnjailedEvent],
  [unjail, getSigningInfo, getSigningInfos, getParams],
)
