/** What a program signs in with. */
export interface ClientSecret {
  client_id: string
  client_secret: string
}

/** The secret of the store that this page has made, by its slug. It is shown once: nothing keeps it but this page. */
let first: (ClientSecret & { slug: string }) | null = null

export const rememberSecret = ({ slug, client_id, client_secret }: ClientSecret & { slug: string }): void => {
  first = { slug, client_id, client_secret }
}

export const readSecret = (slug: string): ClientSecret | null => (first?.slug === slug ? first : null)
