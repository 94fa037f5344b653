/**
 * Native input that nobody honest sends, through the doors of the application: CheckTx, proposals, queries over ABCI and
 * of the gateway, requests of REST, and addresses. Each is answered or refused with a code, soon, and changes nothing.
 */
import { create, type DescMessage, type DescMethod, type Registry, toBinary } from '@bufbuild/protobuf'
import type { PrivateKeyAccount } from 'viem/accounts'
import { accountNumberOf } from '../../app/native/account-number.ts'
import { TRANSACTION_MESSAGES } from '../../app/native/definitions.ts'
import { createWallet, exampleMessages, signTransaction, WALLET_NAMES } from '../../app/native/testing/cosmjs.ts'
import type { QueriedApplication } from '../../query/queried-application.ts'
import { decodeBech32, encodeBech32, parseAccountAddress } from '../../core/bech32.ts'
import { CodedError, isFault } from '../../core/errors.ts'
import { sha256 } from '../../core/hash.ts'
import { bytesToHex, hexToBytes } from '../../core/hex.ts'
import { moduleAddress } from '../../core/address.ts'
import {
  formatConsensusAddress,
  formatOperator,
  parseConsensusAddress,
  parseOperator,
} from '../../modules/validator-addresses.ts'
import { tx } from '../../proto/index.ts'
import { readRequest } from '../../rpc/native/read-request.ts'
import { createTypeRegistry, methodPath, NATIVE_SERVICES } from '../../rpc/native/services.ts'
import type { Random } from '../sim/random.ts'
import { bech32Of, sendMessage, signNative } from '../sim/native-transactions.ts'
import { blockOf, type Lone, openLone } from './lone-application.ts'
import { type Corpus, mutateMessage, mutateText, randomMessage } from './native-mutations.ts'

/** The longest that one input may take of the processor: a block takes far longer. */
const MAX_INPUT_MS = 2_000
/** The longest refusal, beside what it repeats of the input: it goes to logs and clients. */
const MAX_LOG_CHARACTERS = 2_000
const CHAIN_ID = 'localnat-1'
/** Answered by CometBFT's RPC, which is not there. */
const OUTSIDE = /^\/cosmos\.(tx|base)\./

const METHODS: readonly DescMethod[] = NATIVE_SERVICES.flatMap(({ methods }) => methods)
const MESSAGES: readonly DescMessage[] = [...TRANSACTION_MESSAGES.values()]

const textsOf = (accounts: readonly PrivateKeyAccount[]): readonly string[] => [
  ...accounts.flatMap((account) => [account.address, bech32Of(account), formatOperator(hexToBytes(account.address))]),
  formatConsensusAddress(new Uint8Array(20)),
  encodeBech32(moduleAddress('gov')),
  ...['anat', 'NAT', 'ibc/27394FB092D2ECCD56123C74F36E4C1F', '1', '', 'é', '\u0000', 'bank', '-1', '1.5', '0x'],
  ...['1000000000000000000', '9'.repeat(78), '9'.repeat(300), 'x'.repeat(5_000), '{"a":1}', 'YES', 'tx.height=1'],
]

/** Fills fields by their names, so that a message of one account comes as far as its execution. */
const hintsOf =
  (account: PrivateKeyAccount) =>
  (name: string): string | undefined => {
    if (/valid(ator)?_?(src_|dst_)?addr/.test(name)) return formatOperator(hexToBytes(account.address))
    if (/address|delegator|sender|voter|depositor|proposer|signer/.test(name)) return bech32Of(account)
    if (/amount|weight|self_delegation/.test(name)) return '1000000000000000000'
    if (/rate/.test(name)) return '10000000000000000'
    return /denom/.test(name) ? 'anat' : undefined
  }

/** Signed by CosmJS in both modes with both kinds of keys, one of each message that it makes. */
const cosmjsTransactions = async (): Promise<readonly Uint8Array[]> => {
  const made: Uint8Array[] = []
  for (const name of WALLET_NAMES) {
    // The keys of the accounts of openLone.
    const { wallet, address } = await createWallet(name, 0x11)
    const raw = decodeBech32(address)
    const options = { chainId: CHAIN_ID, sequence: 0, accountNumber: accountNumberOf(raw) }
    for (const message of exampleMessages(address, encodeBech32(raw, 'natvaloper'))) {
      const signed = await signTransaction(wallet, address, [message], options)
      made.push(toBinary(tx.TxRawSchema, create(tx.TxRawSchema, signed)))
    }
  }
  return made
}

export interface FuzzReport {
  readonly inputs: number
  /** Counts by the door. */
  readonly refused: ReadonlyMap<string, number>
  readonly answered: ReadonlyMap<string, number>
}

class Fuzzer {
  readonly refused = new Map<string, number>()
  readonly answered = new Map<string, number>()
  inputs = 0
  readonly #random: Random
  readonly #application: QueriedApplication
  readonly #accounts: readonly PrivateKeyAccount[]
  readonly #corpus: Corpus
  readonly #registry: Registry = createTypeRegistry(NATIVE_SERVICES)
  readonly #seeds: readonly Uint8Array[]
  /** The last input, for the report of a failure. */
  last = ''

  constructor(random: Random, { application, accounts }: Lone, seeds: readonly Uint8Array[]) {
    this.#random = random
    this.#application = application
    this.#accounts = accounts
    this.#corpus = { texts: textsOf(accounts), messages: MESSAGES }
    this.#seeds = seeds
  }

  async next(): Promise<void> {
    const random = this.#random
    const doors = [
      () => this.#transaction(this.#mutatedTransaction()),
      async () => this.#transaction(await this.#signedNonsense()),
      () => this.#query(),
      () => this.#rest(),
      () => this.#address(),
    ]
    this.inputs++
    const before = process.cpuUsage()
    await random.pick(doors)()
    const { user, system } = process.cpuUsage(before)
    const elapsedMs = (user + system) / 1_000
    if (elapsedMs > MAX_INPUT_MS) throw new RangeError(`an input took ${elapsedMs} ms: ${this.last}`)
  }

  #count(door: string, isRefused: boolean): void {
    const counts = isRefused ? this.refused : this.answered
    counts.set(door, (counts.get(door) ?? 0) + 1)
  }

  /** Runs what may refuse with a code, and nothing else. */
  async #attempt(door: string, act: () => unknown, own: number): Promise<void> {
    try {
      await act()
      this.#count(door, false)
    } catch (error) {
      if (isFault(error) || !(error instanceof CodedError)) throw error
      this.#checkText(error.message, own)
      this.#count(door, true)
    }
  }

  /** `own` is the length of what its reader sent. */
  #checkText(text: string, own: number): void {
    if (text.length > MAX_LOG_CHARACTERS + own)
      throw new RangeError(`an answer of ${text.length} characters: ${this.last}`)
  }

  #mutatedTransaction(): Uint8Array {
    const random = this.#random
    let raw = random.pick(this.#seeds)
    for (let count = 1 + random.below(3); count > 0; count--) raw = mutateMessage(random, raw)
    return raw
  }

  /** Rightly signed, and of a message that means nothing: it comes as far as the message's own checks. */
  async #signedNonsense(): Promise<Uint8Array> {
    const random = this.#random
    const [account] = this.#accounts as readonly [PrivateKeyAccount]
    const desc = random.pick(MESSAGES)
    const value = randomMessage(random, desc, { ...this.#corpus, hint: hintsOf(account) })
    const nonsense = { typeUrl: `/${desc.typeName}`, value: random.chance(30) ? mutateMessage(random, value) : value }
    const honest = sendMessage(account, new Uint8Array(20), [{ denom: 'anat', amount: '1' }])
    return signNative({
      chainId: CHAIN_ID,
      messages: random.chance(30) ? [honest, nonsense] : [nonsense],
      signers: [{ account, sequence: 0 }],
      gas: 2_000_000n,
    })
  }

  async #transaction(raw: Uint8Array): Promise<void> {
    this.last = `transaction ${bytesToHex(raw)}`
    const { code, log } = this.#application.checkTx(raw, false)
    this.#checkText(log, raw.length)
    this.#count('checkTx', code !== 0)
    if (this.#random.chance(80)) return
    const accepted = await this.#application.processProposal({ ...blockOf(2, [raw]), hash: sha256(raw) })
    this.#count('proposal', !accepted)
  }

  async #query(): Promise<void> {
    const random = this.#random
    const method = random.pick(METHODS)
    const message = randomMessage(random, method.input, this.#corpus)
    const request = random.chance(40) ? mutateMessage(random, message) : message
    await this.#ask(methodPath(method), request)
  }

  async #ask(path: string, request: Uint8Array): Promise<void> {
    const height = this.#random.pick([0, 0, 0, 1, -1, 2 ** 53])
    this.last = `query ${path} at ${height}: ${bytesToHex(request)}`
    const { code, log } = await this.#application.abciQuery({ path, data: request, height, prove: false })
    this.#checkText(log, request.length)
    this.#count('abciQuery', code !== 0)
    if (OUTSIDE.test(path)) return
    const data = Buffer.from(request).toString('base64')
    const ask = () => this.#application.ask('native', { path, data, height }, 1)
    await this.#attempt('gateway', ask, request.length)
  }

  async #rest(): Promise<void> {
    const random = this.#random
    const { texts } = this.#corpus
    const method = random.pick(METHODS)
    const names = [
      'pagination.limit',
      'pagination.key',
      'pagination.reverse',
      'pagination.offset',
      'a.b.c',
      '__proto__',
    ]
    for (const field of method.input.fields) names.push(field.name, field.jsonName, `${field.name}.value.x`)
    const text = (): string =>
      random.chance(50) ? random.pick(texts) : random.pick(['true', '1', '-1', '1e9', 'AAAA'])
    const query = new URLSearchParams(
      Array.from({ length: random.below(6) }, () => [random.pick(names), text()] as [string, string]),
    ).toString()
    const fields = Object.fromEntries(method.input.fields.slice(0, random.below(3)).map(({ name }) => [name, text()]))
    const bodies = ['', '{', 'null', '[]', `{"${random.pick(names)}":${JSON.stringify(text())}}`, '['.repeat(50_000)]
    const body = random.chance(60) ? undefined : random.pick(bodies)
    this.last = `REST ${methodPath(method)} ${JSON.stringify({ fields, query, body: body?.slice(0, 1_000) })}`
    const read = async (): Promise<void> => {
      const message = readRequest(method.input, { fields, query, body }, this.#registry)
      await this.#ask(methodPath(method), toBinary(method.input, message))
    }
    await this.#attempt('REST', read, JSON.stringify({ fields, query, body }).length)
  }

  async #address(): Promise<void> {
    const text = mutateText(this.#random, this.#random.pick(this.#corpus.texts))
    this.last = `address ${JSON.stringify(text)}`
    for (const parse of [parseAccountAddress, parseOperator, parseConsensusAddress]) {
      const read = (): void => {
        const bytes = parse(text)
        if (bytes.length !== 20) throw new RangeError(`an address of ${bytes.length} bytes`)
      }
      await this.#attempt('address', read, text.length)
    }
  }
}

/** Opens an application with a first block of two honest transactions. */
const open = async (): Promise<Lone> => {
  const lone = await openLone()
  const [, ...signers] = lone.accounts
  const transactions: Uint8Array[] = []
  for (const account of signers) {
    const messages = [sendMessage(account, new Uint8Array(20).fill(5), [{ denom: 'anat', amount: '7' }])]
    transactions.push(await signNative({ chainId: CHAIN_ID, messages, signers: [{ account, sequence: 0 }] }))
  }
  const { transactionResults } = await lone.application.finalizeBlock(blockOf(1, transactions))
  const failed = transactionResults.find(({ code }) => code !== 0)
  if (failed !== undefined) throw new RangeError(`an honest transaction failed: ${failed.log}`)
  await lone.application.commit()
  return lone
}

/** What an empty next block comes to: the state, and all that execution could see. */
const emptyBlock = async ({ application }: Lone): Promise<string> =>
  bytesToHex((await application.finalizeBlock(blockOf(2, []))).appHash)

/** Goes on until `isOver`, which is told the inputs so far. The report of a failure names the input. */
export const runNativeFuzz = async (random: Random, isOver: (inputs: number) => boolean): Promise<FuzzReport> => {
  const [fuzzed, untouched] = [await open(), await open()]
  const fuzzer = new Fuzzer(random, fuzzed, await cosmjsTransactions())
  try {
    do await fuzzer.next()
    while (!isOver(fuzzer.inputs))
  } catch (error) {
    process.stderr.write(`input ${fuzzer.inputs} of seed ${random.seed}: ${fuzzer.last.slice(0, 5_000)}\n`)
    throw error
  }
  const [is, must] = [await emptyBlock(fuzzed), await emptyBlock(untouched)]
  if (is !== must) throw new RangeError(`the state was changed: ${is}, not ${must}`)
  return fuzzer
}
