/** Runs the commands of a page as its reader does: in order, and each as it stands where the table says nothing else. */
import { repository } from '../harness.ts'
import { BLANKS } from './blanks.ts'
import type { PageCommand } from './page-commands.ts'
import { askHere, isQuestion } from './query-here.ts'
import { type Ran, Shell } from './shell.ts'
import { PAGES, type Plan } from './table.ts'
import type { Lane } from './world.ts'

/** These are commands of the checkout; all others are run in a folder of their own. */
const OF_CHECKOUT = /^(?:[A-Z_]+=\S+ )?(?:make|scripts\/|python3 test\/|grep)/
/** A node is taken for one that follows once it has so many blocks; the pages go back by some of them. */
const FOLLOWS_FROM = 5

interface CometStatus {
  readonly result: { readonly sync_info: { readonly catching_up: boolean; readonly latest_block_height: string } }
}

const isServing = async ({ url, ports }: Lane): Promise<boolean> => {
  const { ok } = await fetch(`${url}/readyz`)
  const status = await fetch(`http://127.0.0.1:${ports.comet}/status`)
  const { catching_up: isBehind, latest_block_height: height } = ((await status.json()) as CometStatus).result.sync_info
  return ok && !isBehind && Number(height) >= FOLLOWS_FROM
}

/** Puts what a reader puts into the blanks of a text. */
const fill = async (text: string, lane: Lane): Promise<string> => {
  let filled = text
  for (const [blank, value] of BLANKS) {
    const found = [...filled.matchAll(blank)]
    const values = await Promise.all(found.map(([, ...groups]) => value(lane, ...groups)))
    filled = filled.replaceAll(blank, () => values.shift() ?? '')
  }
  return filled
}

/** Without a terminal nobody can be asked, and the next transaction of an account waits for the one before. */
const complete = (text: string): string => {
  if (!/^chain tx (?!sign |multisign |broadcast |simulate |encode |decode )/.test(text)) return text
  const isSent = !/--generate-only|--offline|--dry-run/.test(text)
  const missing = [
    ...(/ --from /.test(text) ? [] : ['--from dev0']),
    ...(!isSent || / --yes\b/.test(text) ? [] : ['--yes']),
    ...(!isSent || / --wait\b/.test(text) ? [] : ['--wait']),
  ]
  return text.replace(/^[^>]*[^> ]/, (command) => [command, ...missing].join(' '))
}

const textOf = async (text: Plan['instead'], lane: Lane): Promise<string | undefined> =>
  typeof text === 'function' ? await text(lane) : text

/** A page shows what came once: other heights and amounts in a line of the same form are as good. */
const looksLike = (line: string): RegExp => {
  const escaped = line.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
  return new RegExp(`^${escaped.replaceAll(/\d+/g, String.raw`\d+`)}$`, 'm')
}

/** For curl a request succeeds whatever the answer is. */
const isRefusal = (text: string, answer: string): boolean => {
  if (!/^curl [^|]*$/.test(text)) return false
  const { error } = JSON.parse(answer) as { readonly error?: unknown }
  return error !== undefined
}

const judge = (
  { status, stdout, stderr }: Ran,
  text: string,
  { shown }: PageCommand,
  { refused }: Plan,
): string | undefined => {
  const said = `${text}\nended with ${status}: ${stderr.slice(-2_000)}${stdout.slice(-1_000)}`
  if (refused !== undefined) {
    return status === 1 && refused.test(stderr + stdout) ? undefined : `was to be refused: ${said}`
  }
  if (status !== 0 || isRefusal(text, stdout)) return said
  const missing = shown.filter((line) => !looksLike(line).test(stdout))
  return missing.length === 0 ? undefined : `does not show ${JSON.stringify(missing)}: ${said}`
}

/** One command with its plan, in the home where the page is. */
interface Step {
  readonly command: PageCommand
  readonly plan: Plan
  readonly home: string | undefined
}

class PageRun {
  readonly #lane: Lane
  readonly #shell = new Shell()

  constructor(lane: Lane) {
    this.#lane = lane
  }

  /** Ends what the commands of a fence have started. */
  async endFence(): Promise<readonly string[]> {
    return await this.#shell.stop()
  }

  /** Returns what is wrong. */
  async run(step: Step): Promise<string | undefined> {
    const { command, plan, home } = step
    if (!(await this.#isRun(step))) return undefined
    const lane = this.#lane
    const environment = lane.environment(home)
    const before = await textOf(plan.before, lane)
    if (before !== undefined) {
      const { status, stderr } = await this.#shell.run(await fill(before, lane), { folder: lane.work, environment })
      if (status !== 0) return `what comes before it ended with ${status}: ${stderr}`
    }
    const text = complete(await fill((await textOf(plan.instead, lane)) ?? command.text, lane))
    const place = { folder: OF_CHECKOUT.test(text) ? repository : lane.work, environment }
    const { runs } = plan
    if (runs !== undefined) {
      const isReady = (output: string): Promise<boolean> =>
        runs === 'node' ? isServing(lane) : Promise.resolve(runs.test(output))
      return await this.#shell.start(text, place, isReady)
    }
    const isAskedHere = home === undefined && command.shown.length === 0 && isQuestion(text)
    const ran = isAskedHere ? await askHere(text) : await this.#shell.run(text, place)
    return judge(ran, text, command, plan)
  }

  /** Prints why a command is not run. */
  async #isRun({ command, plan: { needs, notRun, instead }, home }: Step): Promise<boolean> {
    const { page, line, text } = command
    if (notRun !== undefined) console.log(`not run: ${page}:${line} ${text}: ${notRun}`)
    if (notRun !== undefined && instead === undefined) return false
    if (needs === undefined) return true
    const place = { folder: this.#lane.work, environment: this.#lane.environment(home) }
    const { status } = await this.#shell.run(`command -v ${needs}`, place)
    if (status !== 0) console.log(`skipped: ${page}:${line} ${text}: there is no ${needs} here`)
    return status === 0
  }
}

/** What is wrong with the commands of a page. */
export const faultsOf = async (
  lane: Lane,
  page: string,
  commands: readonly PageCommand[],
): Promise<readonly string[]> => {
  const faults: string[] = []
  const run = new PageRun(lane)
  let home = PAGES[page]?.home
  let fence = 0
  for (const command of commands) {
    if (command.fence !== fence) faults.push(...(await run.endFence()))
    fence = command.fence
    const plan = PAGES[page]?.plans[command.text] ?? {}
    home = plan.home ?? home
    const fault = await run.run({ command, plan, home }).catch(String)
    if (fault !== undefined) faults.push(`${page}:${command.line} ${command.text}\n${fault}`)
  }
  return [...faults, ...(await run.endFence())]
}
