import type { Texts } from './en.ts'

export const texts: Texts = {
  heading: 'Iniciar sesión',
  about: 'API',
  guide: 'Guía',
  hint: '¿Es nuevo aquí? Alguien de la tienda puede invitarle.',
  forgotHeading: '¿Ha olvidado su contraseña?',
  forgotHint:
    'Enviamos a su dirección un enlace para elegir una nueva. Funciona una sola vez y durante una hora.',
  send: 'Enviar el enlace',
  sending: 'Enviando…',
  sentHeading: 'Revise su correo',
  sent: 'Si existe una cuenta con esta dirección, el enlace está en camino. Si no hay servidor de correo, pídaselo al operador de esta instalación.',
  back: 'Volver a iniciar sesión',
  codesLeft: (count) => `Códigos de recuperación restantes: ${count}. Genere otros antes de que se agoten.`,
  goOn: 'Continuar',
  registerHeading: 'Registrar una tienda',
  storeName: 'Nombre de su tienda',
  register: 'Registrar la tienda',
  registering: 'Registrando…',
  registered:
    'Abra el enlace del correo en las próximas 24 horas y vuelva a escribir allí su contraseña. Después podrá iniciar sesión.',
  waitsHeading: 'Su registro está pendiente',
  waits:
    'Esta instalación no envía correos. Pida a su operador que active su cuenta; después podrá iniciar sesión.',
  closed: 'Aquí nadie puede registrarse',
  closedHint:
    'El operador de esta instalación lo ha desactivado. Un propietario de una tienda puede invitarle.',
  invite: 'Código de su invitación',
  inviteHint: 'Se lo envió el operador de esta instalación.',
  inviteWrong:
    'Aquí el registro es por invitación. Escriba el código que se envió a este correo electrónico.',
  badEmail: 'Esto no es un correo electrónico.',
  badStore: 'Un nombre es una línea de 1 a 100 caracteres.',
  newHere: 'Registrar una tienda',
}
