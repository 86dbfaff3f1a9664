import type { Member } from '#generated/api.ts'
import { ROLES, t } from './texts/texts.ts'

/** The four roles, each with the sentence that says what it may do. */
export const RoleChoice = ({
  role,
  mayMakeOwner,
  onRole,
}: {
  role: Member['role']
  mayMakeOwner: boolean
  onRole(role: Member['role']): void
}) => (
  <fieldset class="ticks">
    <legend>{t.role}</legend>
    {ROLES.map((one) => (
      <label key={one} class="check">
        <input
          type="radio"
          name="role"
          checked={role === one}
          disabled={one === 'owner' && !mayMakeOwner}
          onChange={() => onRole(one)}
        />
        <span>
          <strong>{t.roles[one]}</strong>: {t.roleMeans[one]}
        </span>
      </label>
    ))}
  </fieldset>
)
