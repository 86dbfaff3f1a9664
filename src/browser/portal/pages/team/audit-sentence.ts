import type { AuditEvent } from '#generated/api.ts'
import { fillSentence } from './fill-sentence.ts'
import { t } from './texts/texts.ts'

/** Details that name what an event is about, the telling ones first. */
const NAMES = ['name', 'email', 'url', 'ip_address', 'after', 'title', 'plan', 'path', 'origins']

/** What the event is about, in quotes; nothing if it names nothing. */
function nameThing(details: AuditEvent['details']): string {
  for (const key of NAMES) {
    const value = details[key]
    if (typeof value === 'string' && value !== '') return t.quote(value)
  }
  return ''
}

/** Tells an event as a sentence, such as: Anna revoked the key “sync”. An action of a later version is told by its meaning. */
export function tellEvent({ action, actor, details, meaning }: AuditEvent): string {
  const act: string | undefined = t.acts[action]
  if (act === undefined) return meaning ?? action
  const who = actor.name ?? t.actors[actor.kind] ?? actor.kind
  return fillSentence(act, who, nameThing(details))
}

/** The action as a sentence about nobody, for a filter. */
export const nameAction = (action: string): string =>
  fillSentence(t.acts[action] ?? action, t.somebody, '').replace(/\s?:$/, '')
