/**
 * Every command of the pages is run: against one devnet, in homes that the commands themselves make, in the order of the
 * page. `docs/table.ts` says what they need, and which of them cannot be run here and why; `docs/blanks.ts` says what a
 * reader fills in, and how the usual ports become free ones. PAGES=README.md,docs/operating.md runs these alone.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listDocuments } from '../../scripts/check-docs.ts'
import { BLANKS } from './docs/blanks.ts'
import { readCommands } from './docs/page-commands.ts'
import { nameDevnet } from './docs/query-here.ts'
import { faultsOf } from './docs/run-page.ts'
import { Shell } from './docs/shell.ts'
import { PAGES, type LaneName } from './docs/table.ts'
import { Devnet, Lane } from './docs/world.ts'
import { chooseNodePorts, repository } from './harness.ts'

const NO_PAGES = /^(?:docs\/adr\/|test\/fixtures\/|CHANGELOG)/
const commands = listDocuments(repository)
  .filter((file) => !NO_PAGES.test(file))
  .flatMap((file) => readCommands(file, readFileSync(join(repository, file), 'utf8')))

const chosen = process.env['PAGES']?.split(',') ?? Object.keys(PAGES)
const shell = new Shell()
const faults = new Map<string, Promise<readonly string[]>>()
let devnet: Devnet | undefined

/** Pages of two lanes are run side by side, for they touch nothing of each other. */
const runLane = async (network: Devnet, name: LaneName): Promise<void> => {
  const lane = await Lane.open(network, name)
  let before: Promise<unknown> = Promise.resolve()
  for (const page of Object.keys(PAGES)) {
    if (PAGES[page]?.lane !== name || !chosen.includes(page)) continue
    const its = commands.filter((command) => command.page === page)
    const found = before.then(() => faultsOf(lane, page, its))
    faults.set(page, found)
    before = found
  }
}

beforeAll(async () => {
  devnet = new Devnet(await chooseNodePorts())
  const place = { folder: repository, environment: { ...devnet.environment, ...devnet.settings } }
  const fault = await shell.start('make devnet', place, (output) => Promise.resolve(output.includes('Ctrl-C stops it')))
  expect(fault).toBeUndefined()
  nameDevnet(devnet)
  // Blocks with a transaction, for the pages that look at some.
  await devnet.token()
  await runLane(devnet, 'devnet')
  await runLane(devnet, 'nodes')
})
afterAll(async () => {
  await Promise.all(faults.values())
  await shell.stop()
  devnet?.remove()
})

describe('the commands', () => {
  it.each(Object.keys(PAGES).filter((page) => chosen.includes(page)))('of %s do what the page says', async (page) => {
    expect((await faults.get(page))?.join('\n\n')).toBe('')
  })

  it('are those of the pages that the table has, and no blank or plan is left over', () => {
    expect(commands.filter(({ page }) => PAGES[page] === undefined)).toEqual([])
    const gone = Object.entries(PAGES).flatMap(([page, { plans }]) =>
      Object.keys(plans).filter((text) => !commands.some((each) => each.page === page && each.text === text)),
    )
    expect(gone).toEqual([])
    const idle = BLANKS.filter(([blank]) => !commands.some(({ text }) => text.search(blank) >= 0))
    expect(idle.map(([blank]) => blank.source)).toEqual([])
  })
})
