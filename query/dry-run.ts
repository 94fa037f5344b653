/** cosmos.tx.v1beta1.Service/Simulate: what a transaction would use after the head. It executes, so workers answer it. */
import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { CodedError, isFault } from '../core/errors.ts'
import { readBaseFee } from '../modules/feemarket/index.ts'
import { decodeRequest } from '../modules/handlers.ts'
import type { Module } from '../modules/module.ts'
import { queryRefusal } from '../modules/sdk-errors.ts'
import { baseAbci, txService } from '../proto/index.ts'
import { Overlay } from '../store/overlay.ts'
import { createPrepare, type Prepare } from '../app/families/native/prepare.ts'
import { encodeTx, dryRun, type DryRun } from '../app/families/native/dry-run.ts'
import { nativePrecompilesAt } from '../app/precompiles/index.ts'
import { sceneAt } from './calls.ts'
import { requireHeader, type ChainView } from './chain-view.ts'

const { simulate: METHOD } = txService.Service.method
export const SIMULATE_PATH = `/${METHOD.parent.typeName}/${METHOD.name}`

/** The modules of a chain never change: their handlers are looked up once. */
const prepares = new WeakMap<readonly Module[], Prepare>()

const prepareFor = (modules: readonly Module[]): Prepare => {
  const prepare = prepares.get(modules) ?? createPrepare(modules)
  prepares.set(modules, prepare)
  return prepare
}

/** Errors of the transaction get the SDK's status. */
const run = (view: ChainView, raw: Uint8Array): DryRun => {
  const { header, timeNs } = requireHeader(view, view.head)
  const state = new Overlay(view.stateAt(view.head))
  const height = view.head + 1
  const { chainId } = view.parameters
  const environment = { ...sceneAt(view, view.head).environment, number: height }
  try {
    return dryRun(raw, prepareFor(view.modules), {
      state,
      height,
      timeNs,
      chainId,
      evmChainId: view.parameters.evmChainId,
      baseFeePerGas: readBaseFee(state),
      gasLeft: header.gasLimit,
      scene: {
        engine: view.engine,
        environment,
        nativePrecompiles: nativePrecompilesAt(view.modules, { height, timeNs, chainId }),
      },
    })
  } catch (error) {
    if (!(error instanceof CodedError) || isFault(error)) throw error
    throw queryRefusal('unknown', error.message)
  }
}

/** Reads and gives the protobuf encodings. Throws grpc codes. */
export const dryRunQuery = (view: ChainView, bytes: Uint8Array): Uint8Array => {
  const request = decodeRequest(METHOD.input, bytes)
  const raw = request.tx === undefined ? request.txBytes : encodeTx(request.tx)
  if (raw.length === 0) throw queryRefusal('invalidArgument', 'empty txBytes is not allowed')
  const { gasUsed, data, events } = run(view, raw)
  const { msgResponses } = fromBinary(baseAbci.TxMsgDataSchema, data)
  const response = create(METHOD.output, {
    gasInfo: { gasWanted: 0n, gasUsed },
    result: {
      data,
      log: '',
      events: events.map((event) => ({ ...event, attributes: [...event.attributes] })),
      msgResponses,
    },
  })
  return toBinary(METHOD.output, response)
}
