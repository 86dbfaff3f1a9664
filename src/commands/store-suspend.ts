import type { Command } from './command.ts'
import { withInstall } from './runtime.ts'
import { describeState } from './store-state.ts'

/** `lookalike store suspend`. */
export const storeSuspend: Command = {
  name: 'store suspend',
  summary: 'refuse all requests of a store and let its work wait; nothing is deleted',
  positionals: ['SLUG'],
  options: [
    {
      flag: 'reason',
      value: 'TEXT',
      meaning: 'for the owners, who get a mail, and for every refusal',
      isRequired: true,
    },
    { flag: 'json', meaning: 'print JSON' },
  ],
  settings: ['DATA_DIR'],
  example: 'lookalike store suspend my-shop --reason "The invoice of May is open"',
  findProblems: ({ reason }) =>
    reason !== undefined && !isReason(reason) ? ['--reason needs 1 to 500 characters in one line'] : [],
  async run({ config, options, positionals: [slug = ''] }) {
    const state = await withInstall(config, ({ stores }) =>
      stores.suspend(stores.requireBySlug(slug).id, options['reason']?.trim() ?? '', null),
    )
    console.log(
      options['json']
        ? JSON.stringify(describeState(state))
        : `${slug} is suspended, from its next request on. End it with: lookalike store resume ${slug}`,
    )
    return 0
  },
}

const isReason = (text: string): boolean => text.trim() !== '' && text.length <= 500 && !/\p{Cc}/u.test(text)
