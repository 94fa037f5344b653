/** Transactions signed by CosmJS: the four wallets, and every message that CosmJS makes or is taught here. */
import { create, toBinary, type DescMessage } from '@bufbuild/protobuf'
import {
  encodeEthSecp256k1Signature,
  type OfflineAminoSigner,
  rawEthSecp256k1PubkeyToRawAddress,
  Secp256k1Wallet,
  serializeSignDoc,
} from '@cosmjs/amino'
import {
  DirectEthSecp256k1Wallet,
  DirectSecp256k1Wallet,
  type EncodeObject,
  type GeneratedType,
  type OfflineSigner,
  Registry,
} from '@cosmjs/proto-signing'
import {
  AminoTypes,
  createDefaultAminoConverters,
  defaultRegistryTypes,
  SigningStargateClient,
  type StdFee,
} from '@cosmjs/stargate'
import { encodeBech32 } from '../../../core/bech32.ts'
import { concatBytes } from '../../../core/bytes.ts'
import { keccak256 } from '../../../core/hash.ts'
import { signDigest } from '../../../core/signature.ts'
import { ed25519, govBeta, govTx, slashingTx, tx } from '../../../proto/index.ts'

export const CHAIN_ID = 'nat-test-1'
export const FEE: StdFee = { amount: [{ denom: 'anat', amount: '400000000000000' }], gas: '200000' }
export const VALIDATOR = encodeBech32(new Uint8Array(20).fill(0x56), 'natvaloper')
export const RECIPIENT = encodeBech32(new Uint8Array(20).fill(0x52))

/** CosmJS has no wallet of its own for this: the amino sign doc under an Ethereum key. */
const createEthAminoWallet = async (privateKey: Uint8Array): Promise<OfflineAminoSigner> => {
  const [account] = await (await DirectEthSecp256k1Wallet.fromKey(privateKey, 'nat')).getAccounts()
  if (account === undefined) throw new TypeError('a wallet without an account')
  const { pubkey } = account
  const address = encodeBech32(rawEthSecp256k1PubkeyToRawAddress(pubkey))
  return {
    getAccounts: async () => [{ address, algo: 'eth_secp256k1', pubkey }],
    signAmino: async (_, signDoc) => {
      const { r, s } = signDigest(keccak256(serializeSignDoc(signDoc)), privateKey)
      return { signed: signDoc, signature: encodeEthSecp256k1Signature(pubkey, concatBytes(r, s)) }
    },
  }
}

export const WALLETS = {
  'secp256k1 direct': (key: Uint8Array): Promise<OfflineSigner> => DirectSecp256k1Wallet.fromKey(key, 'nat'),
  'secp256k1 amino': (key: Uint8Array): Promise<OfflineSigner> => Secp256k1Wallet.fromKey(key, 'nat'),
  'eth_secp256k1 direct': (key: Uint8Array): Promise<OfflineSigner> => DirectEthSecp256k1Wallet.fromKey(key, 'nat'),
  'eth_secp256k1 amino': (key: Uint8Array): Promise<OfflineSigner> => createEthAminoWallet(key),
} as const
export type WalletName = keyof typeof WALLETS
export const WALLET_NAMES = Object.keys(WALLETS) as readonly WalletName[]

export const createWallet = async (name: WalletName, keyByte = 7) => {
  const wallet = await WALLETS[name](new Uint8Array(32).fill(keyByte))
  const [account] = await wallet.getAccounts()
  if (account === undefined) throw new TypeError('a wallet without an account')
  return { wallet, address: account.address, publicKey: account.pubkey }
}

/** A definition of ours as CosmJS takes them. */
const generatedType = (desc: DescMessage): GeneratedType =>
  ({
    encode: (value: never) => ({ finish: () => toBinary(desc, create(desc, value)) }),
    decode: () => {
      throw new TypeError('not decoded in tests')
    },
    fromPartial: (value: unknown) => value,
  }) as unknown as GeneratedType

export const registry = new Registry([
  ...defaultRegistryTypes,
  ['/cosmos.slashing.v1beta1.MsgUnjail', generatedType(slashingTx.MsgUnjailSchema)],
  ['/cosmos.gov.v1.MsgCancelProposal', generatedType(govTx.MsgCancelProposalSchema)],
])

// Wrong or missing in CosmJS 0.39; the names are the SDK's.
export const aminoTypes = new AminoTypes({
  ...createDefaultAminoConverters(),
  '/cosmos.distribution.v1beta1.MsgWithdrawValidatorCommission': {
    aminoType: 'cosmos-sdk/MsgWithdrawValCommission',
    toAmino: ({ validatorAddress }) => ({ validator_address: validatorAddress }),
    fromAmino: ({ validator_address }) => ({ validatorAddress: validator_address }),
  },
  '/cosmos.slashing.v1beta1.MsgUnjail': {
    aminoType: 'cosmos-sdk/MsgUnjail',
    toAmino: ({ validatorAddr }) => ({ address: validatorAddr }),
    fromAmino: ({ address }) => ({ validatorAddr: address }),
  },
  '/cosmos.gov.v1.MsgVote': {
    aminoType: 'cosmos-sdk/v1/MsgVote',
    toAmino: ({ proposalId, voter, option }) => ({ option, proposal_id: String(proposalId), voter }),
    fromAmino: ({ proposal_id, voter, option }) => ({
      proposalId: BigInt(proposal_id),
      voter,
      option,
      metadata: '',
    }),
  },
  '/cosmos.gov.v1.MsgVoteWeighted': {
    aminoType: 'cosmos-sdk/v1/MsgVoteWeighted',
    toAmino: ({ proposalId, voter, options }) => ({ options, proposal_id: String(proposalId), voter }),
    fromAmino: ({ proposal_id, voter, options }) => ({
      proposalId: BigInt(proposal_id),
      voter,
      options,
      metadata: '',
    }),
  },
  '/cosmos.gov.v1.MsgDeposit': {
    aminoType: 'cosmos-sdk/v1/MsgDeposit',
    toAmino: ({ proposalId, depositor, amount }) => ({ amount, depositor, proposal_id: String(proposalId) }),
    fromAmino: ({ proposal_id, depositor, amount }) => ({ proposalId: BigInt(proposal_id), depositor, amount }),
  },
})

const COIN = { denom: 'anat', amount: '1230000000000000000' }
const VALIDATOR_KEY = {
  typeUrl: '/cosmos.crypto.ed25519.PubKey',
  value: toBinary(ed25519.PubKeySchema, create(ed25519.PubKeySchema, { key: new Uint8Array(32).fill(9) })),
}
const TEXT_PROPOSAL = {
  typeUrl: '/cosmos.gov.v1beta1.TextProposal',
  value: toBinary(
    govBeta.TextProposalSchema,
    create(govBeta.TextProposalSchema, { title: 'Sell & <buy>', description: 'Zürich "2030"' }),
  ),
}

// Without empty fields: CosmJS writes those of a validator's description, the SDK leaves them out.
const DESCRIPTION = {
  moniker: 'm & n',
  identity: 'I',
  website: 'https://x/?a=<b>',
  securityContact: 's@x',
  details: '"d"',
}

/** One message of every type that an account signs; `operator` is the signer as a validator. */
export const exampleMessages = (signer: string, operator: string): readonly EncodeObject[] =>
  [
    ['bank.v1beta1.MsgSend', { fromAddress: signer, toAddress: RECIPIENT, amount: [COIN] }],
    [
      'bank.v1beta1.MsgMultiSend',
      {
        inputs: [{ address: signer, coins: [COIN] }],
        outputs: [{ address: RECIPIENT, coins: [COIN] }],
      },
    ],
    ['distribution.v1beta1.MsgFundCommunityPool', { amount: [COIN], depositor: signer }],
    ['distribution.v1beta1.MsgSetWithdrawAddress', { delegatorAddress: signer, withdrawAddress: RECIPIENT }],
    ['distribution.v1beta1.MsgWithdrawDelegatorReward', { delegatorAddress: signer, validatorAddress: VALIDATOR }],
    ['distribution.v1beta1.MsgWithdrawValidatorCommission', { validatorAddress: operator }],
    ['slashing.v1beta1.MsgUnjail', { validatorAddr: operator }],
    ['gov.v1beta1.MsgDeposit', { proposalId: 3n, depositor: signer, amount: [COIN] }],
    ['gov.v1beta1.MsgVote', { proposalId: 3n, voter: signer, option: 1 }],
    [
      'gov.v1beta1.MsgVoteWeighted',
      { proposalId: 3n, voter: signer, options: [{ option: 1, weight: '700000000000000000' }] },
    ],
    ['gov.v1beta1.MsgSubmitProposal', { content: TEXT_PROPOSAL, initialDeposit: [COIN], proposer: signer }],
    ['gov.v1.MsgVote', { proposalId: 3n, voter: signer, option: 2, metadata: '' }],
    [
      'gov.v1.MsgVoteWeighted',
      { proposalId: 3n, voter: signer, options: [{ option: 1, weight: '1.0' }], metadata: '' },
    ],
    ['gov.v1.MsgDeposit', { proposalId: 3n, depositor: signer, amount: [COIN] }],
    [
      'staking.v1beta1.MsgBeginRedelegate',
      { delegatorAddress: signer, validatorSrcAddress: VALIDATOR, validatorDstAddress: operator, amount: COIN },
    ],
    [
      'staking.v1beta1.MsgCreateValidator',
      {
        description: DESCRIPTION,
        commission: { rate: '100000000000000000', maxRate: '200000000000000000', maxChangeRate: '10000000000000000' },
        minSelfDelegation: '1',
        delegatorAddress: signer,
        validatorAddress: operator,
        pubkey: VALIDATOR_KEY,
        value: COIN,
      },
    ],
    ['staking.v1beta1.MsgDelegate', { delegatorAddress: signer, validatorAddress: VALIDATOR, amount: COIN }],
    [
      'staking.v1beta1.MsgEditValidator',
      {
        description: DESCRIPTION,
        validatorAddress: operator,
        commissionRate: '150000000000000000',
        minSelfDelegation: '2',
      },
    ],
    ['staking.v1beta1.MsgUndelegate', { delegatorAddress: signer, validatorAddress: VALIDATOR, amount: COIN }],
    [
      'staking.v1beta1.MsgCancelUnbondingDelegation',
      { delegatorAddress: signer, validatorAddress: VALIDATOR, amount: COIN, creationHeight: 77n },
    ],
  ].map(([name, value]) => ({ typeUrl: `/cosmos.${name as string}`, value: value as object }))

export interface SignOptions {
  readonly accountNumber?: bigint
  readonly sequence?: number
  readonly chainId?: string
  readonly memo?: string
  readonly timeoutHeight?: bigint
  readonly fee?: StdFee
}

export const DEFAULT_SIGNER = { accountNumber: 2n ** 47n + 11n, sequence: 5 } as const

/** TxRaw as CosmJS makes and signs it, decoded. */
export const signTransaction = async (
  wallet: OfflineSigner,
  signer: string,
  messages: readonly EncodeObject[],
  { memo = '', fee = FEE, timeoutHeight, ...rest }: SignOptions = {},
) => {
  const client = await SigningStargateClient.offline(wallet, { registry, aminoTypes })
  const data = { chainId: CHAIN_ID, ...DEFAULT_SIGNER, ...rest }
  return await client.sign(signer, messages, fee, memo, data, timeoutHeight)
}

export const encodeTxRaw = (parts: {
  readonly bodyBytes: Uint8Array
  readonly authInfoBytes: Uint8Array
  readonly signatures: readonly Uint8Array[]
}): Uint8Array => toBinary(tx.TxRawSchema, create(tx.TxRawSchema, { ...parts, signatures: [...parts.signatures] }))
