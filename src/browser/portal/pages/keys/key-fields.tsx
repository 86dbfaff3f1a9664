import type { ApiKey } from '#generated/api.ts'
import { Check } from '../../parts/check.tsx'
import { Field } from '../../parts/field.tsx'
import { t } from './texts/texts.ts'

/** Puts `products:read` and `products:write` into the form of the API: a resource and its actions. */
export function toScopes(permissions: readonly string[]): Record<string, string[]> {
  const scopes: Record<string, string[]> = {}
  for (const permission of permissions) {
    const [resource = '', action = ''] = permission.split(':')
    scopes[resource] = [...(scopes[resource] ?? []), action]
  }
  return scopes
}

/** The other way round. */
export const listScopes = (scopes: ApiKey['scopes']): string[] =>
  Object.entries(scopes).flatMap(([resource, actions]) => actions.map((action) => `${resource}:${action}`))

interface KeyFieldsProps {
  name: string
  onName(name: string): void
  chosen: readonly string[]
  onChosen(chosen: readonly string[]): void
  can(right: string): boolean
}

/** What an API key is called, and what it may do. Nobody can give more than they have. */
export function KeyFields({ name, onName, chosen, onChosen, can }: KeyFieldsProps) {
  return (
    <>
      <Field
        label={t.name}
        hint={t.nameHint}
        value={name}
        onValue={onName}
        maxLength={100}
        required
        takesFocus
      />
      <fieldset class="ticks">
        <legend>{t.mayDo}</legend>
        {Object.entries(t.scopes).map(([permission, label]) => (
          <Check
            key={permission}
            checked={chosen.includes(permission)}
            disabled={!can(permission)}
            onChange={(isOn) =>
              onChosen(isOn ? [...chosen, permission] : chosen.filter((one) => one !== permission))
            }
          >
            {label}
            {!can(permission) && <span class="muted"> ({t.notYours})</span>}
          </Check>
        ))}
      </fieldset>
    </>
  )
}
