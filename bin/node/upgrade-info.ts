/** What a node leaves behind when it stops before an upgrade: which version it waits for. `chain upgrade run` reads it. */
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import type { Home } from './config/home.ts'

const upgradeInfo = z.object({ name: z.string(), height: z.int().positive() })
export type UpgradeInfo = z.infer<typeof upgradeInfo>

/** The name and place that the SDK's tools know. */
export const upgradeInfoPath = ({ data }: Home): string => join(data, 'upgrade-info.json')

/** The SDK's line, which modules/upgrade/apply.ts writes. The info of the plan follows, in which anything may stand: the first match counts. */
const NEEDED = /^UPGRADE "(.+?)" NEEDED at height: (\d+)/s

/** Notes the plan in it, if it is one, and returns the fault as it came. */
export const noteUpgrade = <Fault extends Error | undefined>(home: Home, fault: Fault): Fault => {
  const [, name, height] = NEEDED.exec(fault?.message ?? '') ?? []
  if (name === undefined) return fault
  const path = upgradeInfoPath(home)
  writeFileSync(`${path}.new`, `${JSON.stringify({ name, height: Number(height) })}\n`, { flush: true })
  renameSync(`${path}.new`, path)
  return fault
}

/** Undefined where no plan was met, or the file is of something else. */
export const readUpgradeInfo = (home: Home): UpgradeInfo | undefined => {
  try {
    return upgradeInfo.parse(JSON.parse(readFileSync(upgradeInfoPath(home), 'utf8')))
  } catch {
    return undefined
  }
}
