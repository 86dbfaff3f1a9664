import type { Mail } from '../../../platform/mail/mailer.ts'

/** A change of a store that its owners get a mail about. */
export type StateChange = 'suspended' | 'deletion_planned' | 'own_deletion_planned' | 'resumed'

export interface StateMailFacts {
  slug: string
  baseUrl: string
  /** As the operator wrote it; null if no reason was given. */
  reason: string | null
  /** When the store is deleted for good, in words: the date and the time. */
  deleteAt: string | null
}

interface Words {
  subject(slug: string): string
  paragraphs(facts: StateMailFacts): string[]
}

const STOPS =
  'Until then its API, its keys and the widget on your pages answer with the error store_suspended, and its jobs, feeds and webhooks wait.'

const STAYS_OPEN =
  'You can still sign in, and see and pay your bills (/v1/billing). To have the store opened again, write to the operator of the service.'

const WORDS: Readonly<Record<StateChange, Words>> = {
  suspended: {
    subject: (slug) => `Your store ${slug} is suspended`,
    paragraphs: ({ slug, baseUrl }) => [
      `The operator of the service at ${baseUrl} has suspended your store ${slug}.`,
      `Nothing is deleted: products, searches and settings stay as they are until the suspension ends. ${STOPS}`,
      STAYS_OPEN,
    ],
  },
  deletion_planned: {
    subject: (slug) => `Your store ${slug} will be deleted`,
    paragraphs: ({ slug, baseUrl, deleteAt }) => [
      `The operator of the service at ${baseUrl} has suspended your store ${slug} and planned its deletion.`,
      `On ${deleteAt} everything that the store holds is deleted for good: products, pictures, searches, keys, settings and its log. ${STOPS}`,
      'Until that moment the operator can restore the store with everything in it. If it should stay, write to the operator now.',
    ],
  },
  own_deletion_planned: {
    subject: (slug) => `Your store ${slug} will be deleted`,
    paragraphs: ({ slug, baseUrl, deleteAt }) => [
      `An owner has planned the deletion of your store ${slug} at ${baseUrl}.`,
      `On ${deleteAt} everything that the store holds is deleted for good: products, pictures, searches, keys, settings and its log. ${STOPS}`,
      'Until that moment the operator of the service can restore the store with everything in it. If it should stay, write to the operator now.',
    ],
  },
  resumed: {
    subject: (slug) => `Your store ${slug} works again`,
    paragraphs: ({ slug, baseUrl }) => [
      `The operator of the service at ${baseUrl} has ended the suspension of your store ${slug}. Nothing was deleted.`,
      'Its API, its keys and the widget answer again, and its jobs, feeds and webhooks go on where they stopped.',
    ],
  },
}

/** Tells an owner what happened to the store, and how it ends. */
export function stateMail(to: string, change: StateChange, facts: StateMailFacts): Mail {
  const { subject, paragraphs } = WORDS[change]
  const [first = '', ...rest] = paragraphs(facts)
  const reason = facts.reason === null ? [] : [`The reason: ${facts.reason}`]
  return { to, subject: subject(facts.slug), text: `${[first, ...reason, ...rest].join('\n\n')}\n` }
}
