/** Where a state sync begins to trust: a height and its hash, on which two nodes agree. */
import * as z from 'zod'
import { cliError, errorText } from '../../errors.ts'
import { fetchRoute, fetchStatus } from '../../node/runtime/comet-rpc.ts'

export interface TrustedBlock {
  readonly height: number
  /** The hash as CometBFT writes it: capitals, without 0x. */
  readonly hash: string
}

/**
 * Below the newest snapshot of a network that makes one every thousand heights: CometBFT's light client goes forward from the
 * trusted block with one or two steps, and backward one block at a time.
 */
const BLOCKS_BACK = 2_000
/** CometBFT refuses a trusted block that is older than statesync.trust_period, a week. */
const MOST_AGE_MS = 4 * 24 * 3_600_000

const commitAnswer = z.object({
  signed_header: z.object({
    header: z.object({ chain_id: z.string(), time: z.string() }),
    commit: z.object({ block_id: z.object({ hash: z.string().regex(/^[0-9A-F]{64}$/) }) }),
  }),
})
const heights = z.object({
  sync_info: z.object({ earliest_block_height: z.string().regex(/^\d+$/).transform(Number) }),
})

interface Commit {
  readonly chainId: string
  readonly timeMs: number
  readonly hash: string
}

/** Throws cli/10 with `fault` for an answer of another shape. */
const read = <Answer>(shape: z.ZodType<Answer>, answer: unknown, fault: string): Answer => {
  const { data, error } = shape.safeParse(answer)
  if (error !== undefined) throw cliError('unreachable', `${fault}: ${errorText(error)}`)
  return data
}

const fetchCommit = async (url: string, height: number): Promise<Commit> => {
  const answer = await fetchRoute(url, `commit?height=${height}`)
  const { signed_header: signed } = read(commitAnswer, answer, `${url} has no block ${height}`)
  const { chain_id: chainId, time } = signed.header
  return { chainId, timeMs: Date.parse(time), hash: signed.commit.block_id.hash }
}

const chooseHeight = async (urls: readonly [string, string]): Promise<number> => {
  let [earliest, latest] = [1, Number.MAX_SAFE_INTEGER]
  for (const url of urls) {
    const status = await fetchStatus(url)
    const { sync_info } = read(heights, await fetchRoute(url, 'status'), `${url} does not say which blocks it has`)
    earliest = Math.max(earliest, sync_info.earliest_block_height)
    latest = Math.min(latest, status.sync_info.latest_block_height)
  }
  if (earliest > latest) {
    throw cliError(
      'unreachable',
      `${urls.join(' and ')} have no block in common: name two nodes that keep recent blocks`,
    )
  }
  return Math.max(earliest, latest - BLOCKS_BACK)
}

/** Throws cli/10 where the two do not agree, and cli/7 for those of another chain. */
export const fetchTrust = async (
  urls: readonly [string, string],
  chainId: string,
  nowMs: number,
): Promise<TrustedBlock> => {
  const height = await chooseHeight(urls)
  const [first, second] = await Promise.all(urls.map((url) => fetchCommit(url, height)))
  if (first === undefined || second === undefined) throw cliError('unreachable', 'two nodes are asked')
  for (const [index, commit] of [first, second].entries()) {
    if (commit.chainId !== chainId) {
      throw cliError('wrongChain', `${urls[index] ?? ''} is of ${commit.chainId}, but ${chainId} is expected`)
    }
  }
  if (first.hash !== second.hash) {
    throw cliError(
      'unreachable',
      `${urls[0]} has the hash ${first.hash} at height ${height}, ${urls[1]} has ${second.hash}: one of them lies, or they are of different chains; ask an operator whom you trust`,
    )
  }
  if (nowMs - first.timeMs > MOST_AGE_MS) {
    throw cliError(
      'unreachable',
      `block ${height} is older than ${MOST_AGE_MS / 86_400_000} days: this network stands still or is slow; join without --state-sync`,
    )
  }
  return { height, hash: first.hash }
}
