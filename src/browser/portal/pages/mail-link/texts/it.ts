import type { Texts } from './en.ts'

export const texts: Texts = {
  incomplete: 'Questo link è incompleto',
  incompleteHint: 'Apra di nuovo il link completo dell’e-mail. Se l’ha già usato, qui non c’è altro da fare.',
  dead: 'Questo link non funziona più',
  deadHint: 'È già stato usato, è scaduto o ne manca una parte.',
  askAgain: 'Chiedi un nuovo link',
  tryToSignIn: 'Accedi',
  newPasswordLink: 'Scegli una nuova password',
  verify: 'Confermi il Suo indirizzo e-mail',
  verifyHint: 'Inserisca la password scelta al momento della registrazione. Con essa si apre il Suo account.',
  chosenPassword: 'Password scelta alla registrazione',
  openAccount: 'Apri l’account',
  opening: 'Apertura dell’account …',
  notVerified:
    'Il link non funziona, oppure questa non è la password scelta. Dopo cinque password errate un link non funziona più.',
  registerAgain: 'Registrati di nuovo',
  verified: 'Il Suo account è aperto',
  verifiedHint:
    'Il Suo indirizzo è confermato e il Suo negozio è pronto. Acceda con il Suo indirizzo e la Sua password.',
  alreadyVerified: 'Il Suo indirizzo è già confermato',
  alreadyVerifiedHint: 'Il Suo account è aperto. Acceda con il Suo indirizzo e la Sua password.',
  notYou: 'Non ha richiesto alcun account?',
  cancel: 'Non è stato Lei?',
  cancelHint:
    'Qualcuno ha richiesto un account con il Suo indirizzo e-mail. Se non è stato Lei, elimini tutte le richieste. I loro link smettono subito di funzionare.',
  cancelRequests: 'Elimina le richieste',
  cancelling: 'Eliminazione …',
  wasYou: 'È stato Lei?',
  cancelled: 'Le richieste sono eliminate',
  cancelledHint:
    'I loro link non funzionano più. Se un account con il Suo indirizzo è già aperto, scelga una nuova password: l’account sarà Suo.',
  newPassword: 'Scelga una nuova password',
  newPasswordHint:
    'Vale per l’account con l’indirizzo che ha ricevuto questo link. Tutti i Suoi accessi termineranno.',
  newPasswordLabel: 'Nuova password',
  setPassword: 'Salva la password',
  setting: 'Salvataggio …',
  passwordSet: 'La nuova password è salvata',
  passwordSetHint: 'Tutti gli accessi con la vecchia password sono terminati. Acceda con quella nuova.',
  email: 'Confermi il nuovo indirizzo e-mail',
  emailHint: 'Inserisca la password dell’account che deve avere questo indirizzo.',
  accountPassword: 'Password dell’account',
  confirmEmail: 'Conferma l’indirizzo',
  confirming: 'Conferma in corso …',
  notConfirmed:
    'Il link non funziona, oppure questa non è la password dell’account. Dopo cinque password errate un link non funziona più; nel Suo account può richiedere di nuovo la modifica.',
  confirmed: 'Il nuovo indirizzo è confermato',
  confirmedHint:
    'L’indirizzo attuale deve ancora approvarlo: apra il link dell’e-mail inviata all’indirizzo attuale.',
  approve: 'Approvi il nuovo indirizzo e-mail',
  approveHint:
    'Qualcuno che conosce la Sua password ha chiesto di cambiare l’indirizzo del Suo account. L’e-mail con questo link indica il nuovo indirizzo. Lo approvi solo se è stato Lei.',
  approveEmail: 'Approva il nuovo indirizzo',
  approving: 'Approvazione …',
  notYouApprove: 'Non è stato Lei? Una nuova password annulla la richiesta.',
  approved: 'Il nuovo indirizzo è approvato',
  approvedHint:
    'Deve ancora essere confermato: apra il link dell’e-mail inviata al nuovo indirizzo e vi inserisca la Sua password.',
  emailDeadHint:
    'È già stato usato, è scaduto o ne manca una parte. Nel Suo account può richiedere di nuovo la modifica.',
  emailChanged: 'Il Suo indirizzo e-mail è cambiato',
  emailChangedHint: 'D’ora in poi acceda con il nuovo indirizzo. Gli altri Suoi accessi sono terminati.',
  taken: 'Qualcun altro ha ormai questo indirizzo',
  takenHint: 'Non è cambiato nulla. Nel Suo account può scegliere un altro indirizzo.',
  invited: 'È invitato in un negozio',
  store: 'Negozio',
  invitedBy: 'Invito di',
  newHere: 'Non ha ancora un account qui. Scelga un nome e una password.',
  yourName: 'Il Suo nome',
  badName: 'Un nome è una riga da 1 a 100 caratteri.',
  join: 'Entra nel negozio',
  joining: 'Ingresso nel negozio …',
  known: 'Ha un account qui. Acceda per entrare nel negozio.',
  signedIn: 'Ha effettuato l’accesso con questo indirizzo. Il Suo account e la password non cambiano.',
  otherPerson: (email) =>
    `Ha effettuato l’accesso come ${email}, e l’invito è per un altro indirizzo. Acceda con quell’indirizzo per entrare nel negozio.`,
  unexpected: 'Non si aspettava questo invito? Chiuda questa pagina: non entrerà in alcun negozio.',
  unsubscribe: 'Interrompere la mail settimanale',
  unsubscribeHint:
    'Non riceverà più il lunedì una mail su ciò che è stato cercato nel Suo negozio. Gli altri proprietari continueranno a riceverla.',
  unsubscribeNow: 'Annulla l’iscrizione',
  unsubscribing: 'Salvataggio …',
  unsubscribed: 'Non riceve più la mail settimanale',
  unsubscribedHint: 'Le altre mail sul Suo account e sul Suo negozio arrivano ancora.',
  resubscribe: 'Riceverla di nuovo',
  resubscribed: 'La mail settimanale torna',
  resubscribedHint: 'La prossima arriva lunedì.',
  unsubscribeDeadHint:
    'Manca una parte del link. Apra il link in una mail più recente, o disattivi la mail settimanale nelle impostazioni del negozio.',
  inviteEnds: {
    accepted: [
      'Questo invito è già stato usato',
      'Qualcuno è entrato nel negozio con questo link. Se è stato Lei, acceda.',
    ],
    cancelled: ['Questo invito è stato annullato', 'Ne chieda uno nuovo a un proprietario del negozio.'],
    expired: [
      'Questo invito è scaduto',
      'Un invito vale 7 giorni. Ne chieda uno nuovo a un proprietario del negozio.',
    ],
    conflict: ['Fa già parte di questo negozio', 'Acceda e scelga il negozio.'],
    store_suspended: [
      'Il negozio è sospeso',
      'Al momento nessuno può entrarvi. Chieda a un proprietario del negozio quando potrà riaprire il link.',
    ],
    account_not_verified: [
      'Scelga prima una nuova password',
      'Il Suo indirizzo ha un account, e qualcun altro forse ne conosce la password. Ne scelga una nuova con il link dell’e-mail che Le abbiamo appena inviato, poi riapra l’invito. Se non arriva alcuna e-mail, chieda il link al gestore di questa installazione.',
    ],
    unauthorized: [
      'Questo link non funziona',
      'È incompleto, oppure l’invito è terminato da tempo. Riapra il link completo o chieda un nuovo invito a un proprietario del negozio.',
    ],
  },
}
