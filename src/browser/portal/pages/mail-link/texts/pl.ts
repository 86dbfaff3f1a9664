import type { Texts } from './en.ts'

export const texts: Texts = {
  incomplete: 'Ten link jest niepełny',
  incompleteHint:
    'Otwórz ponownie cały link z wiadomości. Jeśli link został już użyty, nie trzeba tu nic robić.',
  dead: 'Ten link już nie działa',
  deadHint: 'Został już użyty, wygasł albo brakuje jego części.',
  askAgain: 'Poproś o nowy link',
  tryToSignIn: 'Zaloguj się',
  newPasswordLink: 'Wybierz nowe hasło',
  verify: 'Potwierdź swój adres e-mail',
  verifyHint: 'Podaj hasło wybrane przy rejestracji. Otworzy ono Twoje konto.',
  chosenPassword: 'Hasło wybrane przy rejestracji',
  openAccount: 'Otwórz konto',
  opening: 'Otwieranie konta …',
  notVerified:
    'Link nie działa albo to nie jest wybrane hasło. Po pięciu błędnych hasłach link przestaje działać.',
  registerAgain: 'Zarejestruj się ponownie',
  verified: 'Twoje konto jest otwarte',
  verifiedHint: 'Adres jest potwierdzony, a sklep gotowy. Zaloguj się swoim adresem i hasłem.',
  alreadyVerified: 'Twój adres jest już potwierdzony',
  alreadyVerifiedHint: 'Twoje konto jest otwarte. Zaloguj się swoim adresem i hasłem.',
  notYou: 'Ta prośba o konto nie pochodzi od Ciebie?',
  cancel: 'To nie Ty?',
  cancelHint:
    'Ktoś poprosił o konto z Twoim adresem e-mail. Jeśli to nie Ty, usuń wszystkie te prośby. Ich linki natychmiast przestaną działać.',
  cancelRequests: 'Usuń prośby',
  cancelling: 'Usuwanie …',
  wasYou: 'To jednak Ty?',
  cancelled: 'Prośby zostały usunięte',
  cancelledHint:
    'Ich linki już nie działają. Jeśli konto z Twoim adresem jest już otwarte, wybierz nowe hasło: konto będzie wtedy Twoje.',
  newPassword: 'Wybierz nowe hasło',
  newPasswordHint:
    'Dotyczy konta z adresem, na który przyszedł ten link. Wszystkie Twoje logowania się zakończą.',
  newPasswordLabel: 'Nowe hasło',
  setPassword: 'Ustaw hasło',
  setting: 'Ustawianie hasła …',
  passwordSet: 'Nowe hasło zostało ustawione',
  passwordSetHint: 'Wszystkie logowania ze starym hasłem zostały zakończone. Zaloguj się nowym.',
  email: 'Potwierdź nowy adres e-mail',
  emailHint: 'Podaj hasło konta, które ma mieć ten adres.',
  accountPassword: 'Hasło konta',
  confirmEmail: 'Potwierdź adres',
  confirming: 'Potwierdzanie …',
  notConfirmed:
    'Link nie działa albo to nie jest hasło konta. Po pięciu błędnych hasłach link przestaje działać; na swoim koncie możesz ponownie poprosić o zmianę.',
  confirmed: 'Nowy adres jest potwierdzony',
  confirmedHint:
    'Musi go jeszcze zatwierdzić obecny adres: otwórz link z wiadomości wysłanej na obecny adres.',
  approve: 'Zatwierdź nowy adres e-mail',
  approveHint:
    'Ktoś, kto zna Twoje hasło, poprosił o zmianę adresu Twojego konta. Wiadomość z tym linkiem podaje nowy adres. Zatwierdź go tylko wtedy, gdy to Ty.',
  approveEmail: 'Zatwierdź nowy adres',
  approving: 'Zatwierdzanie …',
  notYouApprove: 'To nie Ty? Nowe hasło anuluje tę prośbę.',
  approved: 'Nowy adres jest zatwierdzony',
  approvedHint:
    'Trzeba go jeszcze potwierdzić: otwórz link z wiadomości wysłanej na nowy adres i podaj tam swoje hasło.',
  emailDeadHint:
    'Został już użyty, wygasł albo brakuje jego części. Na swoim koncie możesz ponownie poprosić o zmianę.',
  emailChanged: 'Twój adres e-mail został zmieniony',
  emailChangedHint: 'Od teraz loguj się nowym adresem. Inne logowania zostały zakończone.',
  taken: 'Ten adres ma już ktoś inny',
  takenHint: 'Nic się nie zmieniło. Na swoim koncie możesz wybrać inny adres.',
  invited: 'Masz zaproszenie do sklepu',
  store: 'Sklep',
  invitedBy: 'Zaprasza',
  newHere: 'Nie masz tu jeszcze konta. Wybierz imię i nazwisko oraz hasło.',
  yourName: 'Imię i nazwisko',
  badName: 'Nazwa to jeden wiersz o długości od 1 do 100 znaków.',
  join: 'Dołącz do sklepu',
  joining: 'Dołączanie do sklepu …',
  known: 'Masz tu konto. Zaloguj się, aby dołączyć do sklepu.',
  signedIn: 'Jesteś na koncie z tym adresem. Konto i jego hasło pozostają bez zmian.',
  otherPerson: (email) =>
    `Korzystasz teraz z konta ${email}, a zaproszenie jest dla innego adresu. Zaloguj się tamtym adresem, aby dołączyć do sklepu.`,
  unexpected: 'Nie spodziewasz się zaproszenia? Zamknij tę stronę: nie dołączysz wtedy do żadnego sklepu.',
  unsubscribe: 'Zrezygnuj z cotygodniowej wiadomości',
  unsubscribeHint:
    'W poniedziałki nie dostaniesz już wiadomości o tym, czego szukano w Twoim sklepie. Inni właściciele nadal będą ją dostawać.',
  unsubscribeNow: 'Zrezygnuj',
  unsubscribing: 'Zapisywanie …',
  unsubscribed: 'Nie dostajesz już cotygodniowej wiadomości',
  unsubscribedHint: 'Inne wiadomości o Twoim koncie i sklepie nadal przychodzą.',
  resubscribe: 'Chcę ją znowu dostawać',
  resubscribed: 'Cotygodniowa wiadomość wraca',
  resubscribedHint: 'Następna przyjdzie w poniedziałek.',
  unsubscribeDeadHint:
    'Brakuje części odnośnika. Otwórz odnośnik z nowszej wiadomości albo wyłącz cotygodniową wiadomość w ustawieniach sklepu.',
  inviteEnds: {
    accepted: [
      'To zaproszenie zostało już użyte',
      'Ktoś dołączył do sklepu za pomocą tego linku. Jeśli to Ty, zaloguj się.',
    ],
    cancelled: ['To zaproszenie zostało wycofane', 'Poproś właściciela sklepu o nowe.'],
    expired: ['To zaproszenie wygasło', 'Zaproszenie jest ważne 7 dni. Poproś właściciela sklepu o nowe.'],
    conflict: ['Należysz już do tego sklepu', 'Zaloguj się i wybierz sklep.'],
    store_suspended: [
      'Sklep jest zawieszony',
      'Na razie nikt nie może do niego dołączyć. Zapytaj właściciela sklepu, kiedy można ponownie otworzyć link.',
    ],
    account_not_verified: [
      'Najpierw wybierz nowe hasło',
      'Twój adres ma konto, a ktoś inny może znać jego hasło. Wybierz nowe za pomocą linku z wiadomości, którą właśnie wysłaliśmy, a potem ponownie otwórz zaproszenie. Jeśli wiadomość nie dotrze, poproś operatora tej instalacji o link.',
    ],
    unauthorized: [
      'Ten link nie działa',
      'Jest niepełny albo zaproszenie skończyło się dawno temu. Otwórz ponownie cały link albo poproś właściciela sklepu o nowe zaproszenie.',
    ],
  },
}
