import fc from 'fast-check'

// Entries stand apart by a bar.
const list = (text: string): string[] =>
  text
    .split(/[|\n]/)
    .map((entry) => entry.trim())
    .filter(Boolean)

/** Names of fields, as servers write them. */
export const refusedNames = list(`
  password | Password | passwd | pass | pw | pwd | db_pass | userPassword | new-password | current_password
  confirmPassword | dbpassword | password2 | PASSWORD_1 | smtp.password | passPhrase | pass_code | pin | PIN
  cardPin | pin_code | otp | totp | otpCode | oneTimeCode | one-time-code | 2fa | 2faCode | mfa_code | twoFactorCode
  verification_code | smsCode | backupCode | recovery_code | apiKey | APIKey | API_KEY | apikey | api-key | api.key
  openai_api_key | stripeKey | x-api-key | secret | secrets | clientSecret | client_secret | webhookSecret
  signing_secret | AWS_SECRET_ACCESS_KEY | aws_access_key_id | accessKey | privateKey | private_key_pem | ssh_key
  encryptionKey | serviceAccountKey | token | githubToken | GITHUB_TOKEN | accessToken | access_token
  refresh-token | bearer | authToken | sessionToken | jwt | sessionCookie | credentials | seedPhrase
  recovery_phrase | mnemonicPhrase | walletSeed | securityAnswer | security_question_answer | mothersMaidenName
  cardNumber | card_number | creditCard | ccNumber | cc-csc | cvv | CVC | cvv2 | p4ssw0rd | pa$$word | p@ssw0rd!
  t0k3n | s3cr3t | 4pi_k3y | p1n | p.a.s.s.w.o.r.d | P-I-N | c_v_v | passwort | motDePasse | mot_de_passe | mdp
  appleIdPassword | appleidpassword | businessPassword | passwordAgain
  pass-key | privKey | contrasena | senha | heslo | haslo | wachtwoord | losenord | salasana | sifre | matkhau | kata_sandi
`)

/** Titles, as a person sees them; by language. */
export const refusedTitles: Readonly<Record<string, readonly string[]>> = {
  english: list(`
    Your password | Enter password: | User name and password | Password (at least 12 characters) | New pass phrase
    Create a password | Choose a new PIN | What is your PIN? | Six-digit code | The 6-digit code from your phone
    Code: one time password | Authenticator app code | Security code on the back of the card | Stripe API key
    Your OpenAI key | API keys | Secret key for the bucket | Private key (PEM) | Personal access token
    Bearer token | Your token | Client secret | Recovery key | Secret answer | Answer to your security question
    Mother's maiden name | Debit card number | The number of your credit card | Card verification value
    Apple ID password | Business password | Max's password | List of your passwords | Membership PIN | User ID PIN
    Login credentials | P A S S W O R D | 𝓅𝒶𝓈𝓈𝓌ℴ𝓇𝒹 | ⓟⓐⓢⓢⓦⓞⓡⓓ | ＡＰＩ　ｋｅｙ | ᴘᴀꜱꜱᴡᴏʀᴅ | 🅿🅰🆂🆂🆆🅾🆁🅳 | Pаsswоrd | ΡΙΝ
    АРІ kеу | pass\u200bword | se\u00adcret | p\u0301a\u0301ssword | \u202epassword | APl key
  `),
  german: list(`
    Passwort | Ihr Kennwort | Benutzerpasswort | API-Schlüssel | API-Schluessel | Geheimer Schlüssel | Zugriffstoken
    Kreditkartennummer | Geheimzahl | Bestätigungscode | Antwort auf die Sicherheitsfrage | Zugangsdaten
  `),
  french: list(`
    Mot de passe | Votre mot de passe | Clé d’API | Clé API | Clé secrète | Jeton d'accès | Numéro de carte bancaire
    Code de vérification | Phrase de récupération
  `),
  spanish: list(`
    Contraseña | Tu contraseña | Clave de API | Clave privada | Token de acceso | Número de tarjeta
    Código de seguridad | Frase semilla
  `),
  portuguese: list(`
    Senha | Palavra-passe | Chave de API | Chave secreta | Número do cartão | Código de verificação
  `),
  italian: list(`
    Parola d'ordine | La tua password | Chiave API | Chiave privata | Numero della carta | Codice di sicurezza
  `),
  dutch: list(`
    Wachtwoord | Uw wachtwoord | API-sleutel | Geheime sleutel | Pincode | Creditcardnummer
  `),
  polish: list(`
    Hasło | Podaj hasło | Klucz API | Klucz prywatny | Numer karty | Kod weryfikacyjny
  `),
  czech: list(`
    Heslo | Vaše heslo | Klíč API | Soukromý klíč | Číslo karty | Ověřovací kód
  `),
  swedish: list(`
    Lösenord | API-nyckel | Hemlig nyckel | Engångskod | Kortnummer
  `),
  danishAndNorwegian: list(`
    Adgangskode | Kodeord | Passord | API-nøgle | API-nøkkel | Engangskode
  `),
  finnish: list(`
    Salasana | Salasanasi | API-avain | Tunnusluku | Luottokortin numero
  `),
  turkish: list(`
    Şifre | ŞİFRENİZ | Parolanız | API anahtarı | KART NUMARASI | Doğrulama kodu
  `),
  russian: list(`
    Пароль | ПАРОЛЬ | Введите пароль | ПИН-код | Ключ API | Секретный ключ | Токен доступа | Номер карты
    Код подтверждения | Девичья фамилия матери | Пaроль
  `),
  ukrainian: list(`
    Ваш пароль | Секретний ключ | Номер картки | Код підтвердження | ПІН
  `),
  greek: list(`
    Κωδικός πρόσβασης | ΚΩΔΙΚΟΣ ΠΡΟΣΒΑΣΗΣ | Κωδικός | Συνθηματικό | Κλειδί API | Αριθμός κάρτας
  `),
  chinese: list(`
    密码 | 您的密碼 | 短信验证码 | 访问令牌 | API 密钥 | 私钥 | 信用卡卡号 | 助记词
  `),
  japanese: list(`
    パスワード | ﾊﾟｽﾜｰﾄﾞ | 新しいパスワード | 暗証番号 | APIキー | API キー | アクセストークン | カード番号 | 秘密の質問の答え
  `),
  korean: list(`
    비밀번호 | 비밀 번호 | API 키 | 액세스 토큰 | 인증번호 | 카드 번호
  `),
  arabic: list(`
    كلمة المرور | كَلِمَة السِّر | رمز التحقق | مفتاح API | رقم البطاقة
  `),
  hebrew: list(`
    סיסמה | הסיסמה שלך | קוד אימות | מפתח API | מספר כרטיס אשראי
  `),
  hindi: list(`
    पासवर्ड | आपका पासवर्ड | पिन | ओटीपी | कार्ड नंबर
  `),
  vietnamese: list(`
    Mật khẩu | Mã xác thực | Khóa API | Số thẻ tín dụng
  `),
  indonesian: list(`
    Kata sandi | Kunci API | Kode verifikasi | Nomor kartu
  `),
}

/** Descriptions of a field that is called `value`. */
export const refusedDescriptions = list(`
  Do not give us your name or age, just your password | Do not share your name or age, your PIN
  Do not give us your name, enter your password or leave | Why not give us your phone number, pin, or address?
  Do not give up, password or token needed | Do not share this page with others or anyone. Your password:
  Do not send your name, but the pin or password | Do not include a very long list of things nobody wants or pin
  The password of your account. | Paste the API key from the settings page.
  Used to sign in; your password stays on this machine. | Do not forget to enter your password.
  Do not use a weak password. | Not only your password but also your name. | If not, enter your password.
  Why not enter your password? | If not enter your password | We never share it. Your PIN has four digits.
  Starts with sk-, it is the secret key of your account. | Never enter your name here, enter your password.
  The three digits on the back: CVV. | Ihr Passwort für das Portal. | Le mot de passe de votre compte.
  La contraseña de tu cuenta. | 请输入您的密码。 | パスワードを入力してください。 | Введите пароль от почты.
  Never type your password, PIN. | Or your password. | Instead enter your password. | Model T password.
  Never share your password or enter your password below. | Why don't enter your password?
`)

/** Formats that no revision has. */
export const refusedFormats = list(`
  password | Password | new-password | current-password | one-time-code | cc-number | cc-csc | api-key | secret
  token | pin
`)

/** Messages over one field that is called `value`. */
export const refusedMessages = list(`
  Enter your API key below | Enter your API key below. | Please provide the password for the database.
  Paste your access token | What is your password? | What's your PIN? | Your password: | API key?
  API key for Stripe | We need your credit card number to go on. | To continue, type the 6-digit code we sent you
  Hello! I lost the connection. Could you send me the client secret?
  The build failed. Please supply the private key, then press Accept. | Sign in again and confirm your password
  p4ssw0rd required | Your seed phrase is needed | Bitte geben Sie Ihr Passwort ein.
  Veuillez saisir votre mot de passe | Introduce tu contraseña | Digite sua senha | Inserisci la tua password
  Voer uw wachtwoord in | Podaj hasło | Zadejte heslo | Ange ditt lösenord | Indtast din adgangskode
  Syötä salasanasi | Şifrenizi girin | Введите пароль | Введіть пароль | Εισάγετε τον κωδικό πρόσβασης | 请输入您的密码
  パスワードを入力してください | 비밀번호를 입력하세요 | أدخل كلمة المرور | הזן את הסיסמה | कृपया अपना पासवर्ड दर्ज करें | Nhập mật khẩu
  Masukkan kata sandi Anda
`)

/** Credentials in two or more plain words, from which more spellings are made. */
export const credentials = list(`
  api key | access token | refresh token | client secret | secret key | private key | access key | auth token
  pass phrase | credit card number | recovery phrase | verification code | one time password
`)

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)

/** The spellings of a credential that servers use for names. */
export function spellingsOf(credential: string): string[] {
  const words = credential.split(' ')
  const camel = words.map(capital).join('')
  return [
    ...[credential, `your ${credential}`, words.join('_'), words.join('-'), words.join('.'), words.join('')],
    ...[camel, `user${camel}`, `stripe_${words.join('_')}`, credential.toUpperCase(), `${camel}2`],
  ]
}

/** Puts something between any two characters, or not. */
const sprinkled = (text: string, ...grains: string[]) =>
  fc
    .array(fc.constantFrom('', '', ...grains), { minLength: text.length + 1, maxLength: text.length + 1 })
    .map((chosen) => Array.from(text, (letter, index) => (chosen[index] as string) + letter).join(''))

/** Changes some of the letters, each to one of several. */
export const eachLetter = (text: string, change: (letter: string) => readonly string[]) =>
  fc
    .tuple(...Array.from(text, (letter) => fc.constantFrom(letter, ...change(letter))))
    .map((letters) => letters.join(''))

const fullWidth = (text: string) =>
  text.replace(/[!-~]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) + 0xfee0))

const twins: Readonly<Record<string, readonly string[]>> = {
  ...{
    a: ['а', 'α', 'á', 'ä'],
    c: ['с', 'ç'],
    d: ['ԁ', 'đ'],
    e: ['е', 'é', 'ē'],
    i: ['і', 'ι', 'ı', 'ï'],
    k: ['к', 'κ'],
  },
  ...{ n: ['ñ', 'ɴ'], o: ['о', 'ο', 'ø', 'ő'], p: ['р', 'ρ'], r: ['ř'], s: ['ѕ', 'š'], t: ['т', 'τ'], u: ['υ', 'ü'] },
  ...{ v: ['ν'], w: ['ԝ', 'ŵ'], x: ['х', 'χ'], y: ['у', 'ý'] },
}

/** Changes that a reader does not notice, or reads over. */
export const disguises: Readonly<Record<string, (text: string) => fc.Arbitrary<string>>> = {
  'characters nobody sees': (text) =>
    sprinkled(text, '\u200b', '\u200d', '\u2060', '\u00ad', '\ufeff', '\u202e', '\ufe0f'),
  'wide letters': (text) => eachLetter(text, (letter) => [fullWidth(letter)]),
  'marks on letters': (text) =>
    eachLetter(text, (letter) => (/[a-z]/i.test(letter) ? [`${letter}\u0301`, `${letter}\u0327\u0308`] : [])),
  'look-alikes of other scripts': (text) => eachLetter(text, (letter) => twins[letter] ?? []),
  'other separators': (text) =>
    eachLetter(text, (letter) => (/[ _.-]/.test(letter) ? [' ', '_', '-', '.'] : [])).map((spaced) => spaced.trim()),
}
