import type { Texts } from './en.ts'

export const texts: Texts = {
  incomplete: 'Este link está incompleto',
  incompleteHint: 'Abra novamente o link completo do e-mail. Se já o usou, não há mais nada a fazer aqui.',
  dead: 'Este link já não funciona',
  deadHint: 'Já foi usado, expirou ou falta-lhe uma parte.',
  askAgain: 'Pedir um novo link',
  tryToSignIn: 'Iniciar sessão',
  newPasswordLink: 'Escolher uma nova palavra-passe',
  verify: 'Confirme o seu endereço de e-mail',
  verifyHint: 'Introduza a palavra-passe que escolheu no registo. Com ela abre a sua conta.',
  chosenPassword: 'Palavra-passe escolhida no registo',
  openAccount: 'Abrir a conta',
  opening: 'A abrir a conta …',
  notVerified:
    'O link não funciona ou esta não é a palavra-passe que escolheu. Após cinco palavras-passe erradas, um link deixa de funcionar.',
  registerAgain: 'Registar-se novamente',
  verified: 'A sua conta está aberta',
  verifiedHint:
    'O seu endereço está confirmado e a sua loja está pronta. Inicie sessão com o seu endereço e a sua palavra-passe.',
  alreadyVerified: 'O seu endereço já está confirmado',
  alreadyVerifiedHint: 'A sua conta está aberta. Inicie sessão com o seu endereço e a sua palavra-passe.',
  notYou: 'Não pediu nenhuma conta?',
  cancel: 'Não foi você?',
  cancelHint:
    'Alguém pediu uma conta com o seu endereço de e-mail. Se não foi você, elimine todos os pedidos. Os links desses pedidos deixam logo de funcionar.',
  cancelRequests: 'Eliminar os pedidos',
  cancelling: 'A eliminar …',
  wasYou: 'Afinal foi você?',
  cancelled: 'Os pedidos foram eliminados',
  cancelledHint:
    'Os respetivos links já não funcionam. Se entretanto existir uma conta aberta com o seu endereço, escolha uma nova palavra-passe: a conta passa a ser sua.',
  newPassword: 'Escolha uma nova palavra-passe',
  newPasswordHint: 'É para a conta com o endereço que recebeu este link. Todas as suas sessões vão terminar.',
  newPasswordLabel: 'Nova palavra-passe',
  setPassword: 'Guardar a palavra-passe',
  setting: 'A guardar a palavra-passe …',
  passwordSet: 'A nova palavra-passe está guardada',
  passwordSetHint: 'Todas as sessões com a antiga terminaram. Inicie sessão com a nova.',
  email: 'Confirme o seu novo endereço de e-mail',
  emailHint: 'Introduza a palavra-passe da conta que deve ter este endereço.',
  accountPassword: 'Palavra-passe da conta',
  confirmEmail: 'Confirmar o endereço',
  confirming: 'A confirmar …',
  notConfirmed:
    'O link não funciona ou esta não é a palavra-passe da conta. Após cinco palavras-passe erradas, um link deixa de funcionar; na sua conta pode pedir novamente a alteração.',
  confirmed: 'O novo endereço está confirmado',
  confirmedHint:
    'O seu endereço atual ainda tem de o aprovar: abra o link do e-mail enviado para o endereço atual.',
  approve: 'Aprove o seu novo endereço de e-mail',
  approveHint:
    'Alguém que conhece a sua palavra-passe pediu para alterar o endereço da sua conta. O e-mail com este link indica o novo endereço. Aprove-o apenas se foi você.',
  approveEmail: 'Aprovar o novo endereço',
  approving: 'A aprovar …',
  notYouApprove: 'Não foi você? Uma nova palavra-passe cancela o pedido.',
  approved: 'O novo endereço está aprovado',
  approvedHint:
    'Ainda tem de ser confirmado: abra o link do e-mail enviado para o novo endereço e introduza lá a sua palavra-passe.',
  emailDeadHint:
    'Já foi usado, expirou ou falta-lhe uma parte. Na sua conta pode pedir novamente a alteração.',
  emailChanged: 'O seu endereço de e-mail foi alterado',
  emailChangedHint:
    'A partir de agora, inicie sessão com o novo endereço. As suas outras sessões terminaram.',
  taken: 'Outra pessoa já tem este endereço',
  takenHint: 'Nada mudou. Na sua conta pode escolher outro endereço.',
  invited: 'Recebeu um convite para uma loja',
  store: 'Loja',
  invitedBy: 'Convite de',
  newHere: 'Ainda não tem uma conta aqui. Escolha um nome e uma palavra-passe.',
  yourName: 'O seu nome',
  badName: 'Um nome é uma linha de 1 a 100 caracteres.',
  join: 'Entrar na loja',
  joining: 'A entrar na loja …',
  known: 'Tem uma conta aqui. Inicie sessão para entrar na loja.',
  signedIn: 'Iniciou sessão com este endereço. A sua conta e a palavra-passe não mudam.',
  otherPerson: (email) =>
    `Iniciou sessão como ${email} e o convite é para outro endereço. Inicie sessão com esse endereço para entrar na loja.`,
  unexpected: 'Não esperava este convite? Feche esta página: assim não entra em nenhuma loja.',
  unsubscribe: 'Deixar de receber a mensagem semanal',
  unsubscribeHint:
    'Deixará de receber às segundas-feiras uma mensagem sobre o que se procurou na sua loja. Os outros proprietários continuam a recebê-la.',
  unsubscribeNow: 'Cancelar a subscrição',
  unsubscribing: 'A guardar …',
  unsubscribed: 'Já não recebe a mensagem semanal',
  unsubscribedHint: 'As outras mensagens sobre a sua conta e a sua loja continuam a chegar.',
  resubscribe: 'Voltar a recebê-la',
  resubscribed: 'A mensagem semanal volta',
  resubscribedHint: 'A próxima chega na segunda-feira.',
  unsubscribeDeadHint:
    'Falta uma parte da ligação. Abra a ligação de uma mensagem mais recente, ou desligue a mensagem semanal nas definições da loja.',
  inviteEnds: {
    accepted: [
      'Este convite já foi usado',
      'Alguém entrou na loja com este link. Se foi você, inicie sessão.',
    ],
    cancelled: ['Este convite foi cancelado', 'Peça um novo a um proprietário da loja.'],
    expired: [
      'Este convite expirou',
      'Um convite é válido durante 7 dias. Peça um novo a um proprietário da loja.',
    ],
    conflict: ['Já pertence a esta loja', 'Inicie sessão e escolha a loja.'],
    store_suspended: [
      'A loja está suspensa',
      'De momento ninguém pode entrar. Pergunte a um proprietário da loja quando poderá abrir novamente o link.',
    ],
    account_not_verified: [
      'Escolha primeiro uma nova palavra-passe',
      'O seu endereço tem uma conta, e outra pessoa pode conhecer a palavra-passe. Escolha uma nova com o link do e-mail que acabámos de lhe enviar e abra depois novamente o convite. Se não chegar nenhum e-mail, peça o link ao operador desta instalação.',
    ],
    unauthorized: [
      'Este link não funciona',
      'Está incompleto ou o convite terminou há muito. Abra novamente o link completo ou peça um novo convite a um proprietário da loja.',
    ],
  },
}
