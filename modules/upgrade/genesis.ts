/** The member `upgrade` of app_state: `plan` and `applied_plans`. The SDK has no genesis here, and loses both. */
import { failAt, parseArray, parseInteger, parseObject, parseString } from '../../core/parse.ts'
import type { StateReader, StateWriter } from '../../store/state.ts'
import { listApplied, readPlan, writeApplied, writePlan } from './keeper.ts'
import { type Plan, planFault } from './plan.ts'

/** Most plans that were ever applied. */
const MAX_APPLIED = 10_000

type AppliedPlan = Pick<Plan, 'name' | 'height'>

interface UpgradeGenesis {
  readonly plan: Plan | undefined
  readonly applied: readonly AppliedPlan[]
}

const checked = (plan: Plan, path: string): Plan => {
  const fault = planFault(plan)
  return fault === undefined ? plan : failAt(path, fault)
}

const parsePlan = (value: unknown, path: string): Plan => {
  const { name, height, info } = parseObject(value, path, ['name', 'height', 'info'])
  return checked(
    {
      name: parseString(name, `${path}.name`),
      height: parseInteger(height, `${path}.height`),
      info: parseString(info ?? '', `${path}.info`),
    },
    path,
  )
}

const parseApplied = (value: unknown, path: string): AppliedPlan => {
  const { name, height } = parseObject(value, path, ['name', 'height'])
  return parsePlan({ name, height }, path)
}

/** Throws genesis/1 with the member at fault. */
export const parseUpgradeGenesis = (genesis: unknown, path = 'app_state.upgrade'): UpgradeGenesis => {
  const object = parseObject(genesis ?? {}, path, ['plan', 'applied_plans'])
  const given = object['plan'] ?? undefined
  const plan = given === undefined ? undefined : parsePlan(given, `${path}.plan`)
  const names = new Set<string>()
  const applied = parseArray(object['applied_plans'], `${path}.applied_plans`, MAX_APPLIED).map((item, index) => {
    const at = `${path}.applied_plans[${index}]`
    const each = parseApplied(item, at)
    if (names.has(each.name)) failAt(`${at}.name`, 'is there twice')
    names.add(each.name)
    return each
  })
  if (plan !== undefined && names.has(plan.name)) failAt(`${path}.plan.name`, 'has already been completed')
  return { plan, applied }
}

export const initUpgradeGenesis = (state: StateWriter, { plan, applied }: UpgradeGenesis): void => {
  if (plan !== undefined) writePlan(state, plan)
  for (const { name, height } of applied) writeApplied(state, name, height)
}

const printHeight = <P extends AppliedPlan>({ height, ...rest }: P) => ({ ...rest, height: String(height) })

/** The inverse. */
export const exportUpgradeGenesis = (state: StateReader) => {
  const plan = readPlan(state)
  return {
    ...(plan === undefined ? {} : { plan: printHeight(plan) }),
    applied_plans: [...listApplied(state)].map(printHeight),
  }
}
