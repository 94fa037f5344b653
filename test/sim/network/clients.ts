/** Wallets and native clients: they send to any node, and hold every node to its answers. */
import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { getContractAddress } from 'viem'
import type { PrivateKeyAccount } from 'viem/accounts'
import type { Address } from '../../../core/address.ts'
import { CodedError } from '../../../core/errors.ts'
import { bytesToHex, type Hex, hexToBytes } from '../../../core/hex.ts'
import { stakingTx, txService } from '../../../proto/index.ts'
import { POWER_REDUCTION } from '../../../modules/stake.ts'
import { formatOperator } from '../../../modules/validator-addresses.ts'
import { bech32Of, multiSendMessage, type Packed, sendMessage, signNative } from '../native-transactions.ts'
import { deploy, PROGRAMS, words } from '../programs.ts'
import type { Random } from '../random.ts'
import { GWEI, signTransaction } from '../traffic.ts'
import type { NetworkNode } from './network-node.ts'
import type { Timeline } from './timeline.ts'

const { BroadcastMode, BroadcastTxRequestSchema, BroadcastTxResponseSchema } = txService
/** How many of 100 native transactions stake: each changes the set of validators. */
const STAKING_PERCENT = 20
/** None of them destroys coins. */
const DEPLOYED = ['writer', 'logger', 'forwarder', 'reverter', 'historian', 'leaver'] as const

interface Sent {
  readonly account: PrivateKeyAccount
  readonly nonce: number
  readonly raw: Uint8Array
  readonly kind: 'ethereum' | 'native'
  readonly node: number
  readonly answeredMs: number
  /** The machine that answered lost its power, or its disk, before it had to have it on the disk. */
  mayBeLost: boolean
}

export class Clients {
  readonly #random: Random
  readonly #timeline: Timeline
  readonly #chainId: string
  readonly #accounts: readonly PrivateKeyAccount[]
  /** Who may be delegated to: honest validators, so that liars never get a third of the power. */
  readonly #operators: readonly Address[]
  readonly #nonces = new Map<PrivateKeyAccount, number>()
  readonly #contracts: { readonly address: Hex; readonly name: (typeof DEPLOYED)[number] }[] = []
  /** Answered and, as far as is known, in no block. */
  #waiting: Sent[] = []
  #settledHeight = 0
  answered = 0
  refused = 0

  constructor(options: {
    readonly random: Random
    readonly timeline: Timeline
    readonly chainId: string
    readonly accounts: readonly PrivateKeyAccount[]
    readonly operators: readonly Address[]
  }) {
    this.#random = options.random
    this.#timeline = options.timeline
    this.#chainId = options.chainId
    this.#accounts = options.accounts
    this.#operators = options.operators
  }

  get waiting(): number {
    return this.#waiting.length
  }

  /** The same nonce at a higher price, at any node: one of them comes in. */
  async replace(node: NetworkNode): Promise<void> {
    const waiting = this.#waiting.filter(({ kind }) => kind === 'ethereum')
    if (waiting.length === 0) return
    const { account, nonce } = this.#random.pick(waiting)
    const fees = { tip: 10n * GWEI, maxFeePerGas: 80n * GWEI }
    const raw = await signTransaction(account, 2, { nonce, to: account.address, ...fees })
    if (await this.#submit(node, raw, 'ethereum')) this.#note({ account, nonce, raw, kind: 'ethereum' }, node)
  }

  /** A nonce is used once it was answered: what is refused is asked anew elsewhere. */
  async send(node: NetworkNode): Promise<void> {
    const account = this.#random.pick(this.#accounts)
    const nonce = this.#nonces.get(account) ?? 0
    const isNative = this.#random.chance(25)
    const raw = await (isNative ? this.#signNative(account, nonce) : this.#signEthereum(account, nonce))
    const kind = isNative ? 'native' : 'ethereum'
    if (!(await this.#submit(node, raw, kind))) {
      this.refused++
      return
    }
    this.#nonces.set(account, nonce + 1)
    this.#note({ account, nonce, raw, kind }, node)
  }

  #note(sent: Pick<Sent, 'account' | 'nonce' | 'raw' | 'kind'>, node: NetworkNode): void {
    this.answered++
    this.#waiting.push({ ...sent, node: node.index, answeredMs: this.#timeline.nowMs, mayBeLost: false })
  }

  async #submit({ application, height }: NetworkNode, raw: Uint8Array, kind: Sent['kind']): Promise<boolean> {
    try {
      if (kind === 'ethereum') {
        await application.ask('sendRawTransaction', { raw: bytesToHex(raw) }, height)
        return true
      }
      const request = create(BroadcastTxRequestSchema, { txBytes: raw, mode: BroadcastMode.SYNC })
      const data = Buffer.from(toBinary(BroadcastTxRequestSchema, request)).toString('base64')
      const path = '/cosmos.tx.v1beta1.Service/BroadcastTx'
      const answer = await application.ask('native', { path, data, height: 0 }, height)
      const { txResponse } = fromBinary(BroadcastTxResponseSchema, Buffer.from(JSON.parse(answer) as string, 'base64'))
      return txResponse?.code === 0
    } catch (error) {
      if (!(error instanceof CodedError)) throw error
      return false
    }
  }

  /** A machine lost what it had not flushed since then. */
  mayBeLost(node: number, sinceMs: number): void {
    for (const sent of this.#waiting) if (sent.node === node && sent.answeredMs >= sinceMs) sent.mayBeLost = true
  }

  /** A block took nonces; of each height the first node that has it tells. */
  settle(nonceOf: (account: PrivateKeyAccount) => number, height: number): void {
    if (height <= this.#settledHeight) return
    this.#settledHeight = height
    const nonces = new Map(this.#accounts.map((account) => [account, nonceOf(account)]))
    this.#waiting = this.#waiting.filter(({ account, nonce }) => nonce >= (nonces.get(account) ?? 0))
  }

  /** Who has heard nothing for long sends once more what a failed machine may have lost. */
  async resendLost(node: NetworkNode): Promise<void> {
    for (const { raw, kind, mayBeLost } of this.#waiting) if (mayBeLost) await this.#submit(node, raw, kind)
  }

  describeWaiting(): string {
    return this.#waiting
      .slice(0, 5)
      .map(
        ({ account, nonce, kind, node, mayBeLost }) =>
          `${kind} ${account.address} ${nonce} at node ${node}${mayBeLost ? ', may be lost' : ''}`,
      )
      .join('; ')
  }

  async #signNative(account: PrivateKeyAccount, sequence: number): Promise<Uint8Array> {
    const random = this.#random
    const someone = (): Uint8Array => hexToBytes(random.pick(this.#accounts).address)
    const amount = String(1 + random.below(1_000))
    if (random.chance(STAKING_PERCENT)) {
      const value = create(stakingTx.MsgDelegateSchema, {
        delegatorAddress: bech32Of(account),
        validatorAddress: formatOperator(random.pick(this.#operators)),
        amount: { denom: 'anat', amount: (BigInt(1 + random.below(3)) * POWER_REDUCTION).toString() },
      })
      const message = {
        typeUrl: '/cosmos.staking.v1beta1.MsgDelegate',
        value: toBinary(stakingTx.MsgDelegateSchema, value),
      }
      return this.#sealNative(account, sequence, message, 900_000n)
    }
    const message = random.chance(30)
      ? multiSendMessage(account, [someone(), someone()], BigInt(amount))
      : sendMessage(account, someone(), [{ denom: random.chance(30) ? 'ibc/1234' : 'anat', amount }])
    return this.#sealNative(account, sequence, message, 300_000n)
  }

  #sealNative(account: PrivateKeyAccount, sequence: number, message: Packed, gas: bigint): Promise<Uint8Array> {
    const gasPrice = BigInt(5 + this.#random.below(30)) * GWEI
    return signNative({ chainId: this.#chainId, messages: [message], signers: [{ account, sequence }], gas, gasPrice })
  }

  async #signEthereum(account: PrivateKeyAccount, nonce: number): Promise<Uint8Array> {
    const random = this.#random
    const fees = { tip: BigInt(1 + random.below(5)) * GWEI, maxFeePerGas: 40n * GWEI }
    const type = random.pick([0, 1, 2, 2] as const)
    const kind = random.below(10)
    if (kind === 0) {
      const name = random.pick(DEPLOYED)
      this.#contracts.push({ address: getContractAddress({ from: account.address, nonce: BigInt(nonce) }), name })
      return signTransaction(account, 2, { nonce, data: deploy(PROGRAMS[name]), gas: 300_000n, ...fees })
    }
    if (kind < 4 && this.#contracts.length > 0) {
      const { address: to, name } = random.pick(this.#contracts)
      const value = BigInt(random.below(100))
      const data =
        name === 'forwarder'
          ? words(random.pick(this.#accounts).address, value / 2n)
          : words(BigInt(random.below(8)), BigInt(random.below(3)))
      return signTransaction(account, 2, { nonce, to, gas: 200_000n, value, data, ...fees })
    }
    const to = random.chance(70) ? random.pick(this.#accounts).address : random.hex(20)
    const value = BigInt(random.below(1_000_000))
    return signTransaction(account, type, { nonce, to, value, gas: 60_000n, ...fees })
  }
}
