/** The commands below `chain query`. */
import { type DescField, fromBinary, toBinary } from '@bufbuild/protobuf'
import { Command, Option } from 'commander'
import { baseAbci, SUMMARIES } from '../../../proto/index.ts'
import { methodPath, NATIVE_SERVICES } from '../../../rpc/native/services.ts'
import { COMET_QUERIES, findTransaction, MAX_PAGE, searchTransactions } from './comet-queries.ts'
import {
  clientOf,
  type Flags,
  keyringOf,
  outputOf,
  parseCount,
  parseUint,
  textOf,
  withKeyNames,
  withNode,
  withOutput,
} from '../client/flags.ts'
import { toJson } from '../client/messages-json.ts'
import { printResult } from '../output.ts'
import { flagOf, isSwitch, PAGE_FLAGS, readRequest } from './query-request.ts'
import { planQueries, type QueryArgument, type QueryPlan } from './query-plan.ts'

/** Reflection tells of the gRPC server itself, and is asked there. */
const SERVICES = NATIVE_SERVICES.filter(({ typeName }) => !typeName.startsWith('cosmos.base.reflection.'))

const withQueryFlags = (command: Command): Command => withNode(withOutput(command, 'json'))

const collect = (value: string, previous: readonly string[] | undefined): readonly string[] => [
  ...(previous ?? []),
  value,
]

const fieldOption = (field: DescField): Option => {
  const flag = flagOf(field)
  const type = field.message?.typeName ?? field.enum?.typeName
  const description = type ?? field.name
  if (isSwitch(field)) return new Option(`--${flag}`, field.name)
  const option = new Option(`--${flag} <value>`, field.message === undefined ? description : `JSON of ${description}`)
  return field.fieldKind === 'list' ? option.argParser(collect) : option
}

const addPageFlags = (command: Command, taken: ReadonlySet<string>): void => {
  const descriptions: Readonly<Record<keyof typeof PAGE_FLAGS, string>> = {
    limit: 'entries of a page',
    offset: 'entries to pass over',
    key: 'next_key of the page before, in base64',
    count_total: 'count all entries',
    reverse: 'the last entry first',
  }
  for (const member of Object.keys(PAGE_FLAGS) as (keyof typeof PAGE_FLAGS)[]) {
    for (const [index, name] of PAGE_FLAGS[member].entries()) {
      if (taken.has(name)) continue
      const isFlag = member === 'count_total' || member === 'reverse'
      const option = new Option(isFlag ? `--${name}` : `--${name} <value>`, descriptions[member])
      if (member === 'limit' || member === 'offset') option.argParser(parseUint)
      command.addOption(index === 0 ? option : option.hideHelp())
    }
  }
}

const argumentText = ({ field, isOptional, isVariadic }: QueryArgument): string => {
  const name = `${field.name.replaceAll('_', '-')}${isVariadic ? '...' : ''}`
  return isOptional ? `[${name}]` : `<${name}>`
}

const ask = async (plan: QueryPlan, command: Command): Promise<void> => {
  const flags: Flags = command.opts()
  const args = command.processedArgs as readonly (string | readonly string[] | undefined)[]
  const client = clientOf(flags)
  const { method } = plan
  const request = readRequest(plan, args, flags, keyringOf(flags))
  const outside = COMET_QUERIES.get(methodPath(method))
  if (outside !== undefined) return printResult(await outside(client, request), outputOf(flags))
  const height = typeof flags['height'] === 'number' ? flags['height'] : 0
  const { value } = await client.abciQuery(methodPath(method), toBinary(method.input, request), height)
  return printResult(toJson(method.output, fromBinary(method.output, value)), outputOf(flags))
}

const addQuery = (group: Command, plan: QueryPlan): void => {
  const usage = [plan.name, ...plan.arguments.map(argumentText)].join(' ')
  const path = methodPath(plan.method).slice(1)
  const summary = SUMMARIES[path] ?? path
  const command = group
    .command(usage)
    .aliases(plan.aliases)
    .summary(summary)
    .description(summary === path ? path : `${summary}. (${path})`)
  withKeyNames(withQueryFlags(command)).option(
    '--height <height>',
    'at this height; the head when left out',
    parseCount,
  )
  for (const field of plan.flags) command.addOption(fieldOption(field))
  if (plan.pagination !== undefined) addPageFlags(command, new Set(plan.flags.map(flagOf)))
  command.action(() => ask(plan, command))
}

const addGroups = (program: Command): void => {
  const groups = new Map<string, Command>()
  for (const plan of planQueries(SERVICES)) {
    const group =
      groups.get(plan.group) ?? program.command(plan.group).description(`the service ${plan.method.parent.typeName}`)
    groups.set(plan.group, group)
    addQuery(group, plan)
  }
  // `query tx HASH` stands beside the queries of its service.
  const transactions = groups.get('tx')
  if (transactions === undefined) return
  transactions
    .argument('[hash]', 'of sha256, or of keccak256 for one of Ethereum')
    .description('one transaction, by its hash')
  withQueryFlags(transactions).action(async (hash: string | undefined, flags: Flags) => {
    if (hash === undefined) return transactions.help()
    const response = await findTransaction(clientOf(flags), hash)
    return printResult(toJson(baseAbci.TxResponseSchema, response), outputOf(flags))
  })
}

const addSearch = (program: Command): void => {
  withQueryFlags(program.command('txs').description('transactions by their events'))
    .requiredOption('--query <text>', 'such as "transfer.sender=\'nat1...\' AND tx.height>5"')
    .option('--page <number>', 'from 1', parseCount, 1)
    .option('--limit <number>', `transactions of a page, up to ${MAX_PAGE}`, parseCount, 30)
    .addOption(new Option('--order-by <order>', 'by height').choices(['asc', 'desc']).default('asc'))
    .action(async (flags: Flags) => {
      const found = await searchTransactions(clientOf(flags), {
        query: textOf(flags, 'query') ?? '',
        page: Number(flags['page']),
        limit: Number(flags['limit']),
        isDescending: flags['orderBy'] === 'desc',
      })
      printResult(toJson(baseAbci.SearchTxsResultSchema, found), outputOf(flags))
    })
}

/** Answers of the consensus RPC as they are. */
const CONSENSUS_ROUTES = {
  block: 'block',
  'block-results': 'block_results',
  'validator-set': 'validators',
} as const

const addBlocks = (program: Command): void => {
  for (const [name, route] of Object.entries(CONSENSUS_ROUTES)) {
    withQueryFlags(
      program
        .command(name)
        .argument('[height]', 'the head when left out', parseCount)
        .description(`${route} of the consensus RPC`),
    ).action(async (height: number | undefined, flags: Flags) => {
      const params = height === undefined ? {} : { height: String(height) }
      printResult(await clientOf(flags).call(route, params), outputOf(flags))
    })
  }
}

export const createQueryProgram = (): Command => {
  const program = new Command('chain query').description('ask a node: JSON as REST prints it')
  addGroups(program)
  addSearch(program)
  addBlocks(program)
  return program
}
