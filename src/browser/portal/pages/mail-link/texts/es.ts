import type { Texts } from './en.ts'

export const texts: Texts = {
  incomplete: 'Este enlace está incompleto',
  incompleteHint:
    'Abra de nuevo el enlace completo del correo. Si ya lo ha usado, aquí no queda nada por hacer.',
  dead: 'Este enlace ya no funciona',
  deadHint: 'Ya se ha usado, ha caducado o le falta una parte.',
  askAgain: 'Pedir un enlace nuevo',
  tryToSignIn: 'Iniciar sesión',
  newPasswordLink: 'Elegir una contraseña nueva',
  verify: 'Confirme su dirección de correo',
  verifyHint: 'Escriba la contraseña que eligió al registrarse. Con ella se abre su cuenta.',
  chosenPassword: 'Contraseña elegida al registrarse',
  openAccount: 'Abrir la cuenta',
  opening: 'Abriendo la cuenta …',
  notVerified:
    'El enlace no funciona o esta no es la contraseña que eligió. Tras cinco contraseñas erróneas, un enlace deja de funcionar.',
  registerAgain: 'Registrarse de nuevo',
  verified: 'Su cuenta está abierta',
  verifiedHint:
    'Su dirección está confirmada y su tienda está lista. Inicie sesión con su dirección y su contraseña.',
  alreadyVerified: 'Su dirección ya está confirmada',
  alreadyVerifiedHint: 'Su cuenta está abierta. Inicie sesión con su dirección y su contraseña.',
  notYou: '¿No ha pedido ninguna cuenta?',
  cancel: '¿No ha sido usted?',
  cancelHint:
    'Alguien ha pedido una cuenta con su dirección de correo. Si no ha sido usted, elimine todas las solicitudes. Sus enlaces dejan de funcionar al instante.',
  cancelRequests: 'Eliminar las solicitudes',
  cancelling: 'Eliminando …',
  wasYou: '¿Ha sido usted?',
  cancelled: 'Las solicitudes se han eliminado',
  cancelledHint:
    'Sus enlaces ya no funcionan. Si ya hay una cuenta abierta con su dirección, elija una contraseña nueva: la cuenta será entonces suya.',
  newPassword: 'Elija una contraseña nueva',
  newPasswordHint:
    'Es para la cuenta con la dirección que recibió este enlace. Al guardarla terminan todas sus sesiones.',
  newPasswordLabel: 'Contraseña nueva',
  setPassword: 'Guardar la contraseña',
  setting: 'Guardando la contraseña …',
  passwordSet: 'Su contraseña nueva está guardada',
  passwordSetHint: 'Todas las sesiones con la anterior han terminado. Inicie sesión con la nueva.',
  email: 'Confirme su nueva dirección de correo',
  emailHint: 'Escriba la contraseña de la cuenta que debe tener esta dirección.',
  accountPassword: 'Contraseña de la cuenta',
  confirmEmail: 'Confirmar la dirección',
  confirming: 'Confirmando …',
  notConfirmed:
    'El enlace no funciona o esta no es la contraseña de la cuenta. Tras cinco contraseñas erróneas, un enlace deja de funcionar; en su cuenta puede volver a pedir el cambio.',
  confirmed: 'La nueva dirección está confirmada',
  confirmedHint:
    'Su dirección actual aún debe aprobarla: abra el enlace del correo enviado a su dirección actual.',
  approve: 'Apruebe su nueva dirección de correo',
  approveHint:
    'Alguien que conoce su contraseña ha pedido cambiar la dirección de su cuenta. El correo con este enlace indica la nueva dirección. Apruébela solo si ha sido usted.',
  approveEmail: 'Aprobar la nueva dirección',
  approving: 'Aprobando …',
  notYouApprove: '¿No ha sido usted? Una contraseña nueva cancela la solicitud.',
  approved: 'La nueva dirección está aprobada',
  approvedHint:
    'Aún debe confirmarse: abra el enlace del correo enviado a la nueva dirección y escriba allí su contraseña.',
  emailDeadHint:
    'Ya se ha usado, ha caducado o le falta una parte. En su cuenta puede volver a pedir el cambio.',
  emailChanged: 'Su dirección de correo ha cambiado',
  emailChangedHint:
    'A partir de ahora, inicie sesión con la nueva dirección. Sus otras sesiones han terminado.',
  taken: 'Otra persona tiene ya esta dirección',
  takenHint: 'No ha cambiado nada. En su cuenta puede elegir otra dirección.',
  invited: 'Le han invitado a una tienda',
  store: 'Tienda',
  invitedBy: 'Invitación de',
  newHere: 'Aún no tiene una cuenta aquí. Elija un nombre y una contraseña.',
  yourName: 'Su nombre',
  badName: 'Un nombre es una línea de 1 a 100 caracteres.',
  join: 'Unirse a la tienda',
  joining: 'Uniéndose a la tienda …',
  known: 'Tiene una cuenta aquí. Inicie sesión para unirse a la tienda.',
  signedIn: 'Ha iniciado sesión con esta dirección. Su cuenta y su contraseña no cambian.',
  otherPerson: (email) =>
    `Ha iniciado sesión como ${email} y la invitación es para otra dirección. Inicie sesión con esa dirección para unirse a la tienda.`,
  unexpected: '¿No esperaba esta invitación? Cierre esta página y no se unirá a ninguna tienda.',
  unsubscribe: 'Dejar de recibir el correo semanal',
  unsubscribeHint:
    'Ya no recibirá los lunes un correo sobre lo que se buscó en su tienda. Los demás propietarios lo seguirán recibiendo.',
  unsubscribeNow: 'Darse de baja',
  unsubscribing: 'Guardando …',
  unsubscribed: 'Ya no recibe el correo semanal',
  unsubscribedHint: 'Los demás correos sobre su cuenta y su tienda siguen llegando.',
  resubscribe: 'Volver a recibirlo',
  resubscribed: 'El correo semanal vuelve',
  resubscribedHint: 'El próximo llega el lunes.',
  unsubscribeDeadHint:
    'Falta una parte del enlace. Abra el enlace de un correo más reciente, o desactive el correo semanal en los ajustes de la tienda.',
  inviteEnds: {
    accepted: [
      'Esta invitación ya se ha usado',
      'Alguien se ha unido a la tienda con este enlace. Si ha sido usted, inicie sesión.',
    ],
    cancelled: ['Esta invitación se ha cancelado', 'Pida una nueva a un propietario de la tienda.'],
    expired: [
      'Esta invitación ha caducado',
      'Una invitación vale 7 días. Pida una nueva a un propietario de la tienda.',
    ],
    conflict: ['Ya pertenece a esta tienda', 'Inicie sesión y elija la tienda.'],
    store_suspended: [
      'La tienda está suspendida',
      'De momento nadie puede unirse a ella. Pregunte a un propietario de la tienda cuándo puede volver a abrir el enlace.',
    ],
    account_not_verified: [
      'Elija primero una contraseña nueva',
      'Su dirección tiene una cuenta y es posible que otra persona conozca su contraseña. Elija una nueva con el enlace del correo que acabamos de enviarle y abra después de nuevo la invitación. Si no llega ningún correo, pida el enlace al operador de esta instalación.',
    ],
    unauthorized: [
      'Este enlace no funciona',
      'Está incompleto o la invitación terminó hace tiempo. Abra de nuevo el enlace completo o pida una invitación nueva a un propietario de la tienda.',
    ],
  },
}
