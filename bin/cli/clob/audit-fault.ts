/** What an audit finds: the first height and rule that does not hold. */
import { CodedError } from '../../../core/errors.ts'
import { CLI_CODES } from '../../errors.ts'

/** The number of a rule of docs/clob-spec.md, Audit. */
export type Rule = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8

export interface Finding {
  readonly height: number
  readonly rule: Rule
  readonly what: string
  /** The URL of the node that lies: its answers do not fit each other, or what is verified. It is left out where the validators' signatures show that the chain breaks the rule. */
  readonly liar?: string
  /** True, beside `liar`, where the fault rests on an answer that nothing proves, so that the chain may be at fault all the same. */
  readonly mayBeChain?: boolean
}

const blame = ({ liar, mayBeChain }: Finding): string => {
  if (liar === undefined) return 'the chain breaks it'
  return mayBeChain === true ? `the node ${liar} lies, or the chain breaks it` : `the node ${liar} lies`
}

export class AuditFault extends CodedError {
  readonly finding: Finding

  constructor(finding: Finding) {
    const { height, rule, what } = finding
    super('cli', CLI_CODES.audit, `height ${height}: rule ${rule}: ${blame(finding)}: ${what}`)
    this.finding = finding
  }
}
