/** What was typed and not sent, in this tab until somebody signs out. */
import { tabSlot } from '#lib/stored.ts'
import { type Draft, emptyDraft } from './draft.ts'

const slot = tabSlot('borradores')

/** By source: '' is the form's own, otherwise the id of the plan that is repeated. */
export type Drafts = Readonly<Record<string, Draft>>

const NAMES = Object.keys(emptyDraft(''))

const isDraft = (value: unknown): value is Draft =>
  typeof value === 'object' &&
  value !== null &&
  NAMES.every((name) => typeof Reflect.get(value, name) === 'string')

export const keptDrafts = {
  read: (): Drafts => {
    try {
      const kept: unknown = JSON.parse(slot.get() ?? '{}')
      return Object.fromEntries(Object.entries(kept ?? {}).filter(([, one]) => isDraft(one)))
    } catch {
      return {}
    }
  },
  keep: (drafts: Drafts): void => slot.set(JSON.stringify(drafts)),
  clear: slot.clear,
}
