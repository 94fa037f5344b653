/** What `chain doctor` says of one thing. */
import { errorText } from '../../errors.ts'

export type Level = 'ok' | 'warning' | 'fault'

export interface Finding {
  readonly check: string
  readonly level: Level
  readonly detail: string
  /** What to do; of everything that is not well. */
  readonly action?: string
}

export const ok = (check: string, detail: string): Finding => ({ check, level: 'ok', detail })
export const warning = (check: string, detail: string, action: string): Finding => ({
  check,
  level: 'warning',
  detail,
  action,
})
export const fault = (check: string, detail: string, action: string): Finding => ({
  check,
  level: 'fault',
  detail,
  action,
})

/** What `find` refuses is a fault of that check: its message says what to do. */
export const orFault = async (
  check: string,
  action: string,
  find: () => readonly Finding[] | Promise<readonly Finding[]>,
): Promise<readonly Finding[]> => {
  try {
    return await find()
  } catch (error) {
    return [fault(check, errorText(error), action)]
  }
}
