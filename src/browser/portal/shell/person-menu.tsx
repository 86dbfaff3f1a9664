import type { ComponentChildren } from 'preact'
import type { Me } from '#generated/api.ts'
import { signOut } from '../api/session.ts'
import { t } from '../texts/texts.ts'

/** Who is signed in, and the ways that lead out of the page. */
export const PersonMenu = ({ me, children }: { me: Me; children?: ComponentChildren }) => (
  <details class="person">
    <summary aria-label={t.account}>{[...(me.user?.name ?? '?')][0]?.toUpperCase()}</summary>
    <div class="menu">
      <p>
        <strong dir="auto">{me.user?.name}</strong>
        <br />
        <span class="muted">{me.user?.email}</span>
      </p>
      <a href="/portal/account">{t.myAccount}</a>
      {children}
      <a href="/docs" target="_blank" rel="noopener">
        {t.api}
      </a>
      <a href="/docs/guide" target="_blank" rel="noopener">
        {t.guide}
      </a>
      <button type="button" class="link" onClick={() => signOut()}>
        {t.signOut}
      </button>
    </div>
  </details>
)
