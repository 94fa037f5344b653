/** MsgUpdateParams: whole groups of consensus parameters, in force from the next height on. */
import { GOVERNANCE_ADDRESS, checkAuthority } from '../../authority.ts'
import { encodeBech32 } from '../../../core/bech32.ts'
import { consensusTx } from '../../../proto/index.ts'
import { handleMessage } from '../../handlers.ts'
import type { MessageHandler } from '../../module.ts'
import type { ConsensusDependencies } from '../deps.ts'
import { mostValidators, readConsensusParameters, writeConsensusParameters } from '../keeper.ts'
import { parametersRefused } from '../errors.ts'
import { parametersUpdated } from '../events.ts'
import type { ConsensusParameters } from '../params.ts'
import { checkBlockGas, checkExtensionsUpdate, checkRoom, checkUpdate } from '../update.ts'

type Groups = Pick<ConsensusParameters, 'block' | 'evidence' | 'validator'>

const NS_PER_SECOND = 1_000_000_000n

const toNumber = (value: bigint, name: string): number => {
  const number = Number(value)
  if (!Number.isSafeInteger(number)) throw parametersRefused(`${name} is out of range: ${value}`)
  return number
}

/** The version is the software's own, and vote extensions stay as they are where the message does not name them. */
const readGroups = ({ block, evidence, validator }: consensusTx.MsgUpdateParams): Groups => {
  const maxAge = evidence?.maxAgeDuration
  if (block === undefined || evidence === undefined || validator === undefined) {
    throw parametersRefused('all parameters must be present')
  }
  return {
    block: {
      maxBytes: toNumber(block.maxBytes, 'block.max_bytes'),
      maxGas: toNumber(block.maxGas, 'block.max_gas'),
    },
    evidence: {
      maxAgeNumBlocks: toNumber(evidence.maxAgeNumBlocks, 'evidence.max_age_num_blocks'),
      maxAgeDurationNs: maxAge === undefined ? 0n : maxAge.seconds * NS_PER_SECOND + BigInt(maxAge.nanos),
      maxBytes: toNumber(evidence.maxBytes, 'evidence.max_bytes'),
    },
    validator: { pubKeyTypes: validator.pubKeyTypes },
  }
}

/** The SDK's 0.54 lets another account take the place of governance; here it is the authority for good. */
const checkAuth = (authority: string): void => {
  if (authority === '' || authority === encodeBech32(GOVERNANCE_ADDRESS)) return
  throw parametersRefused('auth.authority cannot be changed: the authority is the account of governance')
}

const readExtensions = ({ abci }: consensusTx.MsgUpdateParams): number | undefined =>
  abci === undefined ? undefined : toNumber(abci.voteExtensionsEnableHeight, 'abci.vote_extensions_enable_height')

export const createUpdateParams = (dependencies: ConsensusDependencies): MessageHandler =>
  handleMessage(consensusTx.Msg.method.updateParams, {
    checkStateless: (message) => {
      checkAuthority(message.authority)
      checkAuth(message.auth?.authority ?? '')
      const voteExtensionsEnableHeight = readExtensions(message) ?? 0
      checkUpdate({ ...readGroups(message), version: { app: 0 }, abci: { voteExtensionsEnableHeight } })
      if (voteExtensionsEnableHeight < 0) throw parametersRefused('VoteExtensionsEnableHeight must be positive')
    },
    execute: ({ state, height, emit }, message) => {
      const current = readConsensusParameters(state)
      const groups = readGroups(message)
      const unbondingNs = dependencies.stake.unbondingTimeNs(state)
      if (groups.evidence.maxAgeDurationNs > unbondingNs) {
        const [age, most] = [groups.evidence.maxAgeDurationNs, unbondingNs]
        throw parametersRefused(
          `evidence.max_age_duration must not pass staking's unbonding time: ${age}ns > ${most}ns`,
        )
      }
      checkBlockGas(current.block.maxGas, groups.block.maxGas)
      checkRoom(groups, mostValidators(state, dependencies.stake.maxValidators(state)))
      const { voteExtensionsEnableHeight: enabled } = current.abci
      const voteExtensionsEnableHeight = readExtensions(message) ?? enabled
      checkExtensionsUpdate(enabled, voteExtensionsEnableHeight, height)
      writeConsensusParameters(state, { ...groups, version: current.version, abci: { voteExtensionsEnableHeight } })
      emit(parametersUpdated(message))
      return {}
    },
  })
