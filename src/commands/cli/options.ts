/** Options that several commands have. */
export const JSON_OPTION = { flag: 'json', meaning: 'print JSON' }

export const STORE_OPTION = {
  flag: 'store',
  value: 'SLUG',
  meaning: 'the store; may be left out if there is only one',
}
