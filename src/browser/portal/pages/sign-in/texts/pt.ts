import type { Texts } from './en.ts'

export const texts: Texts = {
  heading: 'Iniciar sessão',
  about: 'API',
  guide: 'Manual',
  hint: 'Ainda sem conta? Peça um convite a alguém da loja.',
  forgotHeading: 'Esqueceu-se da palavra-passe?',
  forgotHint:
    'Enviamos para o seu endereço um link para escolher uma nova. Funciona uma vez, durante uma hora.',
  send: 'Enviar o link',
  sending: 'A enviar…',
  sentHeading: 'Veja o seu e-mail',
  sent: 'Se existir uma conta com este endereço, o link está a caminho. Se não houver servidor de e-mail, peça um link ao operador desta instalação.',
  back: 'Voltar ao início de sessão',
  codesLeft: (count) => `Códigos de recuperação que restam: ${count}. Crie novos antes que acabem.`,
  goOn: 'Continuar',
  registerHeading: 'Registar uma loja',
  storeName: 'Nome da sua loja',
  register: 'Registar a loja',
  registering: 'A registar…',
  registered:
    'Abra o link da mensagem nas próximas 24 horas e escreva lá outra vez a sua palavra-passe. Depois, pode iniciar sessão.',
  waitsHeading: 'O seu registo está à espera',
  waits:
    'Esta instalação não envia e-mails. Peça ao operador que abra a sua conta; depois, pode iniciar sessão.',
  closed: 'Aqui não é possível fazer o registo',
  closedHint: 'O operador desta instalação desativou-o. O proprietário de uma loja pode enviar um convite.',
  invite: 'Código do convite',
  inviteHint: 'Foi enviado pelo operador desta instalação.',
  inviteWrong: 'Aqui o registo é por convite. Escreva o código enviado para este endereço de e-mail.',
  badEmail: 'Isto não é um endereço de e-mail.',
  badStore: 'Um nome é uma linha de 1 a 100 carateres.',
  newHere: 'Registar uma loja',
}
