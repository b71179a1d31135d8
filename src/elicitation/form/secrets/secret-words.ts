// Every list is plain text with commas, so that someone who speaks the language can read and mend it. Case, accents,
// spaces and hyphens do not matter: `secrets.ts` reads the lists as it reads a form.

const list = (text: string): readonly string[] =>
  text
    .split(/[,\n]/)
    .map((word) => word.trim())
    .filter(Boolean)

/** Long enough to mean a credential wherever they stand, even within a longer word: `Benutzerpasswort`. */
export const stems = list(`
  password, passwd, passphrase, passcode, apikey, secretkey, privatekey, accesskey, accesstoken, refreshtoken,
  bearertoken, authtoken, clientsecret, cardnumber, creditcard, seedphrase, recoveryphrase, pincode
  passwort, kennwort, geheimzahl, apischlüssel, apischluessel, kartennummer, zugangsdaten, sicherheitscode, einmalcode
  motdepasse, contraseña, palavrapasse, wachtwoord, toegangscode, creditcardnummer, kaartnummer, verificatiecode
  lösenord, adgangskode, kodeord, passord, engangskode, engangskod, kortnummer, säkerhetskod, sikkerhetskode
  salasana, tunnusluku, korttinumero, kertakäyttökoodi, turvakoodi, şifre, jelszó, парол, пинкод, סיסמ, पासवर्ड
  密码, 密碼, 口令, 验证码, 驗證碼, 令牌, 密钥, 密鑰, 金鑰, 私钥, 私鑰, 助记词, 助記詞, 卡号, 卡號, 安全码, 安全碼
  パスワード, パスコード, パスフレーズ, 暗証番号, 合言葉, トークン, 秘密鍵, アクセスキー, シークレット, apiキー, カード番号
  認証コード, 確認コード, セキュリティコード, ワンタイム, 秘密の質問, リカバリーフレーズ
  비밀번호, 암호, 토큰, 비밀키, 개인키, api키, 인증번호, 인증코드, 카드번호, 보안코드, 일회용, 복구구문, รหัสผ่าน
`)

/** A credential where a word ends so, in one piece: `githubtoken`. */
export const endings = list('token, secret')

/**
 * Whole words and phrases; a phrase is also found written as one word, and with an s. English, German, French,
 * Spanish, Portuguese, Italian, Dutch, Polish, Czech, Swedish, Danish and Norwegian, Finnish, Turkish, Russian,
 * Ukrainian, Greek, Arabic, Hebrew, Hindi, Vietnamese, Indonesian. Scripts without spaces have stems only.
 */
export const words = list(`
  pwd, passwrd, pasword, passsword, passwrod, pword, pass key, api キー, api 키, pswd, psw, passkey, pass phrase
  user pass, db pass, admin pass, root pass, smtp pass, login pass
  pin, pin number, otp, otp code, totp, totp code, one time code, one time pass, 2fa, 2fa code, 2fa token, mfa code
  two factor code
  unlock code, two step code, two factor authentication code, multi factor code, authenticator code
  authenticator app code
  authentication code, authorization code, auth code, verification code, login code, sign in code, sms code, access code
  security code, reset code, backup code, recovery code, recovery key, emergency code, 6 digit code, six digit code
  api key, apl key, api secret, api token, app key, app secret, app password, secret key, private key, access key
  access key id, access secret, account key, service account key, encryption key, decryption key, signing key
  signing secret, master key, root key, consumer key, priv key, shared key, shared secret, ssh key, deploy key
  auth key, authentication key
  openai key, anthropic key, stripe key, aws key, github key, gitlab key, azure key, google key, twilio key
  sendgrid key
  token, access token, refresh token, bearer token, auth token, session token, id token, jwt, bearer
  authorization header, session cookie
  auth cookie, personal access token, secret, secrets, client secret, consumer secret, webhook secret, credential
  credentials, seed words, 12 word phrase, 24 word phrase, secret value, secret phrase, secret word, secret words
  mnemonic phrase, wallet mnemonic, seed mnemonic, wallet seed
  secret answer, recovery answer, security answer, secret question, security question
  answer to your security question, mothers maiden name
  card number, credit card, credit card number, credit card no, debit card, debit card number, card no, card num
  cc number, cc num, cc no
  ccn, cvv, cvv2, cvv code, cvc, cvc2, cvc code, csc code, cc csc, cid code, card security code
  card verification value, card pin
  number of your card, number on your card, number of your credit card

  passwörter, passphrase, geheimer schlüssel, privater schlüssel, api schlüssel, api schluessel, zugriffsschlüssel
  zugangscode, einmalpasswort, bestätigungscode, bestaetigungscode, sicherheitsfrage, losungswort, prüfziffer, mtan
  sms tan, tan nummer, kreditkarte, kartenprüfnummer, zugangsschlüssel, wiederherstellungsphrase, geheimwort
  mot de passe, mots de passe, mdp, code secret, clé api, clé d'api, clé secrète, clé privée, clé d'accès, jeton d'accès
  jeton, phrase secrète, phrase de récupération, code de vérification, code de sécurité, code à usage unique
  numéro de carte bancaire, numéro de carte bleue, numéro de carte de crédit, numéro de votre carte, cryptogramme
  cryptogramme visuel, question secrète, code confidentiel, identifiants bancaires
  palabra de paso, clave api, clave de api, clave privada, clave secreta, clave de acceso, tu clave, su clave
  código de seguridad, código de verificación, código de acceso, número de tarjeta, número de la tarjeta
  número de tu tarjeta, número de su tarjeta, tarjeta de crédito, frase semilla, frase de recuperación
  pregunta de seguridad, código secreto, credenciales, credenciais, credenziali
  senha, senhas, palavra passe, chave api, chave de api, chave da api, chave privada, chave secreta, chave de acesso
  código de segurança, código de verificação, número do cartão, número de cartão, cartão de crédito
  frase de recuperação, pergunta de segurança
  parola d'ordine, codice segreto, codice di sicurezza, codice di verifica, codice di accesso, chiave api
  chiave privata
  chiave segreta, chiave di accesso, numero di carta, numero della carta, carta di credito, frase di recupero
  domanda di sicurezza, codice monouso
  wachtzin, pincode, api sleutel, geheime sleutel, privésleutel, privé sleutel, toegangssleutel, beveiligingscode
  eenmalige code, herstelzin, beveiligingsvraag
  hasło, hasła, hasłem, haśle, klucz api, klucz prywatny, klucz tajny, tajny klucz, klucz dostępu, numer karty
  kod weryfikacyjny, kod jednorazowy, kod zabezpieczający, fraza odzyskiwania
  heslo, hesla, heslem, hesle, klíč api, api klíč, soukromý klíč, tajný klíč, přístupový klíč, číslo karty
  číslo vaší karty
  ověřovací kód, jednorázový kód, bezpečnostní kód
  pinkod, api nyckel, hemlig nyckel, privat nyckel, verifieringskod, kodord
  api nøgle, api nøkkel, hemmelig nøgle, hemmelig nøkkel, privat nøgle, privat nøkkel, sikkerhedskode, pinkode
  bekræftelseskode, bekreftelseskode
  api avain, apiavain, salainen avain, yksityinen avain, luottokortin numero, kortin numero, tunnuslause, vahvistuskoodi
  parolanız, parolanızı, parolayı, parola girin, api anahtarı, gizli anahtar, özel anahtar, erişim anahtarı
  kart numarası
  kart numaranız, kart numaranızı, doğrulama kodu, güvenlik kodu, tek kullanımlık kod
  пин, пин код, пин кода, ключ api, api ключ, апи ключ, секретный ключ, закрытый ключ, приватный ключ, ключ доступа
  токен
  токена, номер карты, номер вашей карты, код подтверждения, одноразовый код, код безопасности, кодовое слово
  секретное слово, секретный вопрос, девичья фамилия матери, сид фраза, код из смс
  секретний ключ, приватний ключ, ключ доступу, номер картки, код підтвердження, одноразовий код, кодове слово
  код безпеки, пін, пін код
  κωδικός πρόσβασης, κωδικό πρόσβασης, κωδικού πρόσβασης, συνθηματικό, κλειδί api, ιδιωτικό κλειδί, μυστικό κλειδί
  αριθμός κάρτας, αριθμό κάρτας, κωδικός επαλήθευσης, κωδικός ασφαλείας
  كلمة المرور, كلمة مرور, كلمة مرورك, كلمة السر, كلمة سر, الرقم السري, الرمز السري, رمز التحقق, رمز الأمان, رمز الوصول
  مفتاح api, مفتاح واجهة البرمجة, المفتاح السري, المفتاح الخاص, رقم البطاقة, رقم بطاقة الائتمان
  קוד אימות, קוד סודי, מפתח api, מפתח פרטי, מפתח סודי, מספר כרטיס אשראי, מספר הכרטיס, אסימון גישה
  पिन, ओटीपी, एपीआई कुंजी, गुप्त कुंजी, निजी कुंजी, कार्ड नंबर, सुरक्षा कोड, सत्यापन कोड, पिन कोड
  mật khẩu, mã xác thực, mã xác minh, mã bảo mật, khóa api, khóa bí mật, khóa riêng tư, số thẻ tín dụng
  mã thông báo truy cập
  kata sandi, kunci api, kunci rahasia, kunci pribadi, kunci akses, kode verifikasi, kode keamanan, kode otp
  nomor kartu
  nomor kartu kredit, frasa pemulihan
`)

/** A credential only as the whole name or title: within a longer one they mean all sorts of things. */
export const loneWords = list(`
  pass, pw, your pass, clave, chave, sandi, sandi anda, parola, parol, lösen, κωδικός, numéro de carte
`)

/** After the word they make it harmless, for then the field holds something about the secret: `password policy`. */
export const harmlessAfter = list(`
  policy, policies, link, links, url, urls, uri, page, count, counts, counter, limit, limits, budget, name, names, label
  length, size, version, column, layout, format, type, kind, category, id, ids, rotation, expiry, expiration
  lifetime, ttl
  age, strength, rule, rules, requirements, complexity, manager, managers, reset, recovery, generator, provider, issuer
  scope, scopes, permissions, audience, usage, cost, price, amount, balance, symbol, contract, location, color
  colour, title
  status, description, documentation, docs, owner, fingerprint, endpoint, path, variable, env, period, date, interval
  holder, enabled, address, arn, level, mapping, algorithm, brand, network, quota, rate, message, storage
  수, 개수, 길이, 정책, 数量, 长度
`)

/** The same within one word: `Passwortrichtlinie`, `passwordless`. */
export const harmlessEndings = list(`
  less, richtlinie, länge, laenge, anzahl, verwaltung, regel, ablauf, beleid, lengte, politik, leme, lemesi
  策略, 长度, 長度, 数量, 数, 規則, 规则, 名称, 名, 管理, 有效期, の長さ, ポリシー, の有効期限, 수, 길이, 정책, 화, 이름, 관리
`)

/** Phrases that hold the word of a credential and mean something else. */
export const harmlessPhrases = list(`
  gpio pin, map pin, bowling pin, lapel pin, pin to top, pin to dashboard, pin this message, max token, maximum token
  min token, total token, per token, crypto token, token ring, token based, secret santa, public api key
  public access key
  library card number, loyalty card number, membership card number, member card number, business card number
  insurance card number, identity card number, id card number, student card number
`)

/** What is done to a credential without telling it: `rotate the API key`. But who creates or resets one is asked. */
export const harmlessVerbs = list(`
  rotate, rotating, revoke, revoking, delete, deleting, remove, removing, regenerate, regenerating, renew, renewing
  rename, renaming, disable, disabling, invalidate, invalidating, forgot, forgotten
`)

/** Before the word, with `of` or `for` between, they make it harmless as well: `length of the password`. */
export const harmlessHeads = list(`
  name, names, label, length, version, type, kind, age, purpose, owner, strength, format, policy, expiry, lifetime
  scope
  column, description, reason, title, status, date, nombre, longitud, política, tipo, nom, longueur, politique, nome
  comprimento, lunghezza, länge, anzahl, zweck
`)

/** Before a plural they count it: `number of API keys`. The number of a card is another matter. */
export const countingHeads = list('number, count, amount, many, quantity, max, número, nombre, numero, anzahl')

export const joiners = list('of, for, de, del, do, da, du, des, der, di, della, d')

export const determiners = list(`
  the, a, an, any, your, my, our, their, his, her, its, this, that, these, each, every, all, new, existing, current
  actual, real, own, la, las, el, los, le, les, tu, tus, su, sus, votre, ton, il, o, os, as, sua, seu, ihr, ihre
  ihren, dein, deine, das, die, den, uw, je, het, de, twoje, vaše, ditt, din, ваш, свой
`)

/** May stand before a label that asks: `what is your PIN`. */
export const questionWords = list('please, what, is, s, whats')

/** They make a warning of a mention, if only `warned` and determiners stand between: `never enter your password`. */
export const negations = list('not, never, dont, isnt, shouldnt, mustnt, cannot, without')
export const warned = list('enter, type, share, send, include, paste, put, use, give, provide, write, reveal, ask, for')

/** They join the last item of a list that a negation governs: `do not give us your phone number, pin, or other data`. */
export const alternatives = list('or, nor')

/** In a list they end what a negation governs: `do not share your name or age, but your PIN`. */
export const turning = list(`
  but, only, just, except, instead, unless, rather, then, so, save, besides, however, else, otherwise, yet, with, to, when
  if, because, since, until, before, after, while, is, are, will, must, should, can, may, we, you, i, they, it, there
  also, too, now, first, next, thanks, verify, verified, check, checked, know, remember, use, forget
`)

/** Before a negation they turn it into a question or a condition: `why not enter your password`. */
export const undoing = list('why, if, or, when, than, whether')

/** A sentence of a message with one of these asks; without, it merely mentions. */
export const asking = list(`
  enter, provide, paste, type, input, supply, give, submit, send, share, tell, need, needs, needed, require, requires
  required, fill, confirm, insert, write, specify, below, here, field, box, choose, pick, set, reply, respond, put
  authenticate, log, login, sign, drop, please
  gib, geben, eingeben, ein, bitte, benötigt, lautet, entrez, saisissez, saisir, saisis, indiquez, fournissez, donnez
  tapez
  veuillez, quel, quelle, introduce, introduzca, ingrese, ingresa, escribe, escriba, proporciona, proporcione, cuál
  indique
  digite, insira, informe, introduza, forneça, qual, inserisci, inserire, inserisca, digita, fornisci, quale, voer
  vul, geef
  typ, invoeren, podaj, wpisz, wprowadź, zadejte, vložte, napište, ange, skriv, fyll, indtast, angiv, tast, oppgi, anna
  syötä, kirjoita, girin, giriniz, yazın, gir, введите, укажите, введи, отправьте, напишите, введіть, вкажіть, εισάγετε
  πληκτρολογήστε, δώστε, أدخل, ادخل, اكتب, أرسل, يرجى, הזן, הזינו, הקלד, הכנס, दर्ज, डालें, लिखें, बताएं, nhập, điền
  cung
  masukkan, masukan, ketik, berikan, isi
`)

/** The same in scripts without spaces, found anywhere. */
export const askingStems = list(
  '输入, 輸入, 填写, 填寫, 提供, 请, 請, 入力, 記入, 教えて, ください, 입력, 알려, 적어, 제공, กรอก, ป้อน',
)
