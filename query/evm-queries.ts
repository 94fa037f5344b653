/**
 * cosmos.evm.vm.v1.Query as far as it is read from the state: the EVM in the words of cosmos/evm. What executes code is
 * for the gateway (rpc/native/evm-calls.ts), which asks it as JSON-RPC does.
 */
import {
  create,
  type DescMessage,
  type DescMethodUnary,
  fromBinary,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from '@bufbuild/protobuf'
import { type Address, checksumAddress, parseAddress } from '../core/address.ts'
import { DENOMINATION } from '../core/amounts.ts'
import { decodeBech32, encodeBech32 } from '../core/bech32.ts'
import { CodedError } from '../core/errors.ts'
import { bytesToHex, hexToBytes } from '../core/hex.ts'
import { HARDFORKS } from '../evm/engine.ts'
import { HISTORY_WINDOW } from '../evm/system-contracts.ts'
import { readBaseFee, readFeeMarket } from '../modules/feemarket/index.ts'
import { decodeRequest } from '../modules/handlers.ts'
import type { QueryContext } from '../modules/module.ts'
import { queryRefusal, SDK_CODES } from '../modules/sdk-errors.ts'
import { readOperatorOf } from '../modules/staking/index.ts'
import { authQuery, type evm, evmQuery } from '../proto/index.ts'
import type { QueryHandlers } from '../app/native/module-handlers.ts'
import { NATIVE_PRECOMPILE_ADDRESSES } from '../app/precompiles/index.ts'
import { EMPTY_ACCOUNT } from '../store/state.ts'
import { storageAt } from './state.ts'
import type { ChainView } from './chain-view.ts'

export const EVM_SERVICE = `/${evmQuery.Query.typeName}/`

const DECIMALS = 18n
const MAX_SLOT_DIGITS = 64

/** What is asked, and where. */
interface Scene extends QueryContext {
  readonly view: ChainView
  readonly handlers: QueryHandlers
}

const parse = (text: string): Address => {
  const digits = text.replace(/^0x/i, '')
  if (/^[0-9a-fA-F]{40}$/.test(digits)) return parseAddress(`0x${digits}`)
  const shown = text.slice(0, 80)
  throw queryRefusal('invalidArgument', `address '${shown}' is not a valid ethereum hex address: invalid address`)
}

/** Short ones are filled up from the left. */
const parseSlot = (text: string): Uint8Array => {
  const digits = text.replace(/^0x/i, '')
  if (digits.length <= MAX_SLOT_DIGITS && /^[0-9a-fA-F]*$/.test(digits)) {
    return hexToBytes(`0x${digits.padStart(MAX_SLOT_DIGITS, '0')}`)
  }
  throw queryRefusal('invalidArgument', `key '${text.slice(0, 80)}' is not up to ${MAX_SLOT_DIGITS} hexadecimal digits`)
}

const { accountInfo } = authQuery.Query.method
const ACCOUNT_INFO = `/${accountInfo.parent.typeName}/${accountInfo.name}`

/** The account's sequence and number as auth counts them; zeros where there is no account. */
const nativeAccount = (
  { state, height, chainId, handlers }: Scene,
  address: Address,
): { readonly sequence: bigint; readonly accountNumber: bigint } => {
  const handler = state.account(address) === undefined ? undefined : handlers.get(ACCOUNT_INFO)
  if (handler === undefined) return { sequence: 0n, accountNumber: 0n }
  const request = toBinary(accountInfo.input, create(accountInfo.input, { address: encodeBech32(address) }))
  const { info } = fromBinary(accountInfo.output, handler.query({ state, height, chainId }, request))
  return { sequence: info?.sequence ?? 0n, accountNumber: info?.accountNumber ?? 0n }
}

/** Throws grpc/3, and grpc/5 where there is no such validator. */
const operatorOf = ({ state }: Scene, text: string): Address => {
  let address: Uint8Array
  try {
    address = decodeBech32(text, 'natvalcons')
  } catch (error) {
    if (!(error instanceof CodedError)) throw error
    throw queryRefusal('invalidArgument', error.message)
  }
  const operator = readOperatorOf(state, address)
  if (operator !== undefined) return operator
  throw queryRefusal('notFound', `error while getting validator ${text.slice(0, 90)}: validator does not exist`)
}

/** Fixed: governance does not vote on them. */
const PARAMS: MessageInitShape<typeof evm.ParamsSchema> = {
  evmDenom: DENOMINATION,
  extraEips: [],
  evmChannels: [],
  accessControl: { create: { accessControlList: [] }, call: { accessControlList: [] } },
  activeStaticPrecompiles: NATIVE_PRECOMPILE_ADDRESSES.map((address) => checksumAddress(address)).sort((a, b) =>
    a < b ? -1 : 1,
  ),
  historyServeWindow: BigInt(HISTORY_WINDOW),
  extendedDenomOptions: { extendedDenom: DENOMINATION },
}

/** Second from which a fork holds, or nothing where it never does; a later one brings the ones before it. */
const forkTime = ({ parameters }: ChainView, name: (typeof HARDFORKS)[number]): string => {
  const rank = HARDFORKS.indexOf(name)
  const found = parameters.hardforks.find(({ hardfork }) => HARDFORKS.indexOf(hardfork) >= rank)
  return found === undefined ? '' : String(found.timestamp)
}

const BEFORE = '0'

/** All forks that Ethereum chose by height hold from the first block on. */
const chainConfig = (view: ChainView): MessageInitShape<typeof evm.ChainConfigSchema> => ({
  homesteadBlock: BEFORE,
  daoForkBlock: BEFORE,
  daoForkSupport: true,
  eip150Block: BEFORE,
  eip155Block: BEFORE,
  eip158Block: BEFORE,
  byzantiumBlock: BEFORE,
  constantinopleBlock: BEFORE,
  petersburgBlock: BEFORE,
  istanbulBlock: BEFORE,
  muirGlacierBlock: BEFORE,
  berlinBlock: BEFORE,
  londonBlock: BEFORE,
  arrowGlacierBlock: BEFORE,
  grayGlacierBlock: BEFORE,
  mergeNetsplitBlock: BEFORE,
  chainId: view.parameters.evmChainId,
  denom: DENOMINATION,
  decimals: DECIMALS,
  shanghaiTime: BEFORE,
  cancunTime: forkTime(view, 'cancun'),
  pragueTime: forkTime(view, 'prague'),
  osakaTime: forkTime(view, 'osaka'),
})

type Answer = (scene: Scene, request: Uint8Array) => Uint8Array

const serve = <Input extends DescMessage, Output extends DescMessage>(
  { name, input, output }: DescMethodUnary<Input, Output>,
  answer: (scene: Scene, request: MessageShape<Input>) => MessageInitShape<Output>,
): readonly [string, Answer] => [
  name,
  (scene, request) => toBinary(output, create(output, answer(scene, decodeRequest(input, request)))),
]

const { method } = evmQuery.Query

const ANSWERS: ReadonlyMap<string, Answer> = new Map([
  serve(method.account, ({ state }, { address }) => {
    const { balance, codeHash, nonce } = state.account(parse(address)) ?? EMPTY_ACCOUNT
    return { balance: balance.toString(), codeHash: bytesToHex(codeHash), nonce }
  }),
  serve(method.cosmosAccount, (scene, { address: text }) => {
    const address = parse(text)
    return { cosmosAddress: encodeBech32(address), ...nativeAccount(scene, address) }
  }),
  serve(method.validatorAccount, (scene, { consAddress }) => {
    const operator = operatorOf(scene, consAddress)
    return { accountAddress: encodeBech32(operator), ...nativeAccount(scene, operator) }
  }),
  // Nothing of a balance is locked here: what is delegated has left it.
  serve(method.balance, ({ state }, { address }) => ({
    balance: (state.account(parse(address))?.balance ?? 0n).toString(),
  })),
  serve(method.storage, ({ view, height }, { address, key }) => ({
    value: storageAt(view, height, { address: parse(address), slot: parseSlot(key) }),
  })),
  serve(method.code, ({ state }, { address }) => {
    const account = state.account(parse(address))
    return account === undefined ? {} : { code: state.code(account.codeHash) }
  }),
  serve(method.params, () => ({ params: PARAMS })),
  serve(method.baseFee, ({ state }) => ({ baseFee: readBaseFee(state).toString() })),
  serve(method.config, ({ view }) => ({ config: chainConfig(view) })),
  serve(method.globalMinGasPrice, ({ state }) => ({ minGasPrice: readFeeMarket(state).minBaseFeeAnat.toString() })),
])

/** `height` is one whose state is kept. Throws grpc codes, and sdk/6 for what the gateway answers. */
export const evmQueryAnswer = (
  view: ChainView,
  handlers: QueryHandlers,
  path: string,
  request: Uint8Array,
  height: number,
): Uint8Array => {
  const answer = ANSWERS.get(path.slice(EVM_SERVICE.length))
  if (answer === undefined) {
    throw new CodedError(
      'sdk',
      SDK_CODES.unknownRequest,
      `${path.slice(0, 200)} is served on the gRPC and REST ports only`,
    )
  }
  const { chainId } = view.parameters
  return answer({ state: view.stateAt(height), height, chainId, view, handlers }, request)
}
