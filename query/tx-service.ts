/**
 * cosmos.tx.v1beta1.Service: transactions by hash, height and event, and broadcasts. Simulate stands in dry-run.ts:
 * workers answer it.
 */
import {
  create,
  type DescMessage,
  type DescMethodUnary,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from '@bufbuild/protobuf'
import { CodedError } from '../core/errors.ts'
import type { Hash } from '../core/hash.ts'
import { EMPTY_BYTES, plainBytes } from '../core/bytes.ts'
import { decodeRequest } from '../modules/handlers.ts'
import { queryRefusal, SDK_CODES } from '../modules/sdk-errors.ts'
import { encodeBroadcastResponse } from '../proto/encode-broadcast-response.ts'
import { type tx, txService } from '../proto/index.ts'
import { encodeTx } from '../app/families/native/dry-run.ts'
import type { Consensus } from '../app/environment.ts'
import { familyOf } from '../app/families/index.ts'
import { readBlockContent } from '../app/index/finalize-request.ts'
import { decodeNativeTransaction } from '../app/native/decode-transaction.ts'
import { decodeAminoTx, encodeAminoTx } from '../app/native/legacy-amino/index.ts'
import type { FailedEntry } from '../app/pool/departed.ts'
import type { BroadcastCheck } from '../app/ports.ts'
import { answerCost, LIGHT_COST } from './answer-cost.ts'
import { blockTransactions } from './block-transactions.ts'
import { isHeightSearch } from './height-search.ts'
import { placeEthereum, placeNative, type ShownPlaced } from './placed-transactions.ts'
import { findByCometHash, searchTransactions } from './tx-search.ts'
import { anyTx, nativeTx, txResponse, upperHex } from './cosmos-tx.ts'
import type { ChainView } from './chain-view.ts'

export const TX_SERVICE = '/cosmos.tx.v1beta1.Service/'

export interface TxServiceOptions {
  readonly environment: Consensus
  /** Admits, journals and offers a transaction; a refusal is a code. */
  broadcast(raw: Uint8Array): Promise<BroadcastCheck>
  /**
   * Finds by its sha256 a native transaction that this node held, that is in no block, and that none can hold any more.
   */
  failedNative(hash: Hash): FailedEntry | undefined
}

interface Served {
  /** Needs CometBFT, changes the pool, or belongs into a worker when it is long: not from inside an ABCI query. */
  readonly isOutside: boolean
  answer(view: ChainView, request: Uint8Array, fromAbci: boolean): Uint8Array | Promise<Uint8Array>
}

const serve = <Input extends DescMessage, Output extends DescMessage>(
  { name, input, output }: DescMethodUnary<Input, Output>,
  isOutside: boolean,
  answer: (
    view: ChainView,
    request: MessageShape<Input>,
    fromAbci: boolean,
  ) => MessageInitShape<Output> | Promise<MessageInitShape<Output>>,
): readonly [string, Served] => {
  const encode = (reply: MessageInitShape<Output>): Uint8Array => toBinary(output, create(output, reply))
  return [
    name,
    {
      isOutside,
      answer: (view, request, fromAbci) => {
        const reply = answer(view, decodeRequest(input, request), fromAbci)
        return reply instanceof Promise ? reply.then(encode) : encode(reply)
      },
    },
  ]
}

const parseHash = (text: string): Uint8Array => {
  const digits = text.replace(/^0x/i, '')
  if (digits === '') throw queryRefusal('invalidArgument', 'tx hash cannot be empty')
  if (!/^[0-9a-fA-F]{64}$/.test(digits)) throw queryRefusal('invalidArgument', `invalid tx hash ${text.slice(0, 80)}`)
  return plainBytes(Buffer.from(digits, 'hex'))
}

/** Native ones and those of Ethereum with native events by sha256, all of Ethereum by keccak256. */
const findTransaction = (view: ChainView, hash: Uint8Array): ShownPlaced | undefined => {
  const { reader, head } = view
  const native = reader.nativePositionOf(hash)
  if (native !== undefined && native.height <= head) {
    const raw = readBlockContent(reader.store, native.height)?.transactions[native.index]
    // One of the order book has a result and a hash, but is no `Tx`: nat.clob.v1.Live finds it.
    return raw === undefined || !familyOf(raw).isShown ? undefined : placeNative(view, native, raw)
  }
  const position = reader.positionOf(hash)
  return position === undefined || position.height > head ? undefined : placeEthereum(view, position)
}

/** Answers with a transaction of no block: its height is 0, and it has no time. */
const failedResponse = ({ raw, error }: FailedEntry): MessageInitShape<typeof txService.GetTxResponseSchema> => {
  const shown = nativeTx(raw)
  const { code, codespace, message: log } = error
  const { gasLimit } = decodeNativeTransaction(raw).fee
  const result = { code, codespace, log, data: EMPTY_BYTES, gasWanted: gasLimit, gasUsed: 0n, events: [] }
  return { tx: shown, txResponse: { ...txResponse({ raw, height: 0, timeNs: 0n, result }, shown), timestamp: '' } }
}

const broadcastRequest = async (
  broadcast: TxServiceOptions['broadcast'],
  { txBytes, mode }: txService.BroadcastTxRequest,
): Promise<Uint8Array> => {
  const { BroadcastMode } = txService
  if (txBytes.length === 0) throw queryRefusal('invalidArgument', 'invalid empty tx')
  if (mode !== BroadcastMode.SYNC && mode !== BroadcastMode.ASYNC) {
    throw queryRefusal('invalidArgument', 'unsupported return type; supported types: sync, async')
  }
  const { code, codespace, log: rawLog, nativeHash } = await broadcast(txBytes)
  const txhash = upperHex(nativeHash)
  return encodeBroadcastResponse(
    mode === BroadcastMode.ASYNC
      ? { txhash, code: 0, codespace: '', rawLog: '' }
      : { txhash, code, codespace, rawLog: rawLog.toWellFormed() },
  )
}

const decoded = (raw: Uint8Array): tx.Tx => {
  if (raw.length === 0) throw queryRefusal('invalidArgument', 'invalid empty tx bytes')
  try {
    return nativeTx(raw)
  } catch (error) {
    if (!(error instanceof CodedError)) throw error
    throw queryRefusal('invalidArgument', error.message)
  }
}

export class TxService {
  readonly #methods: ReadonlyMap<string, Served>

  constructor({ environment, broadcast, failedNative }: TxServiceOptions) {
    const { method } = txService.Service
    this.#methods = new Map([
      serve(method.getTx, false, (view, { hash: text }, fromAbci) => {
        const hash = parseHash(text)
        const show = ({ placed, shown }: ShownPlaced) => ({ tx: shown, txResponse: txResponse(placed, shown) })
        const found = findTransaction(view, hash)
        if (found !== undefined) return show(found)
        const missing = () => {
          const failed = failedNative(hash)
          if (failed !== undefined) return failedResponse(failed)
          throw queryRefusal('notFound', `tx not found: ${text.slice(0, 80)}`)
        }
        if (fromAbci) return missing()
        // Those of Ethereum have a sha256 too, which CometBFT's index alone knows.
        return findByCometHash(environment, view, hash).then((placed) =>
          placed === undefined ? missing() : show({ placed, shown: anyTx(placed.raw) }),
        )
      }),
      [
        method.broadcastTx.name,
        {
          isOutside: true,
          answer: (_, request) => broadcastRequest(broadcast, decodeRequest(method.broadcastTx.input, request)),
        },
      ],
      serve(method.getTxsEvent, true, (view, request) => searchTransactions(environment, view, request)),
      serve(method.getBlockWithTxs, true, (view, request) => blockTransactions(environment, view, request)),
      serve(method.txDecode, false, (_, { txBytes }) => ({ tx: decoded(txBytes) })),
      serve(method.txEncode, false, (_, { tx: given }) => {
        if (given === undefined) throw queryRefusal('invalidArgument', 'invalid empty tx')
        return { txBytes: encodeTx(given) }
      }),
      serve(method.txEncodeAmino, true, (_, { aminoJson }) => {
        if (aminoJson === '') throw queryRefusal('invalidArgument', 'invalid empty tx json')
        return { aminoBinary: encodeAminoTx(aminoJson) }
      }),
      serve(method.txDecodeAmino, true, (_, { aminoBinary }) => {
        if (aminoBinary.length === 0) throw queryRefusal('invalidArgument', 'invalid empty tx bytes')
        return { aminoJson: decodeAminoTx(aminoBinary) }
      }),
    ])
  }

  /** `fromAbci` refuses what cannot be answered while CometBFT waits. Throws grpc codes. */
  answer(view: ChainView, path: string, request: Uint8Array, fromAbci: boolean): Uint8Array | Promise<Uint8Array> {
    const served = this.#methods.get(path.slice(TX_SERVICE.length))
    if (served === undefined) throw queryRefusal('unimplemented', `unknown method ${path.slice(0, 200)}`)
    if (served.isOutside && fromAbci) {
      throw new CodedError('sdk', SDK_CODES.unknownRequest, `${path} is served on the gRPC and REST ports only`)
    }
    return served.answer(view, request, fromAbci)
  }
}

const { txEncode, txDecode, txEncodeAmino, txDecodeAmino } = txService.Service.method
/** These take a transaction apart, or put it together. */
const CODING_PATHS = [txEncode, txDecode, txEncodeAmino, txDecodeAmino].map(({ name }) => `${TX_SERVICE}${name}`)
/** With fewer bytes they take some milliseconds at most. */
const LIGHT_CODING_BYTES = 2_048

/** Whether an answer takes long: of a transaction by its hash by what is stored of it and its block, of one that is given by its length. */
const isLongAnswer = (view: ChainView, path: string, request: Uint8Array): boolean => {
  if (CODING_PATHS.includes(path)) return request.length > LIGHT_CODING_BYTES
  const { name, input } = txService.Service.method.getTx
  if (path !== `${TX_SERVICE}${name}`) return false
  const position = view.reader.positionOf(parseHash(decodeRequest(input, request).hash))
  if (position === undefined || position.height > view.head) return false
  return answerCost(view, 'receipt', position) > LIGHT_COST
}

/** Whether an answer from this node's own records takes long: workers make it. Throws grpc/3. */
export const isLongFromRecords = (view: ChainView, path: string, request: Uint8Array): boolean =>
  isHeightSearch(path, request) || isLongAnswer(view, path, request)
