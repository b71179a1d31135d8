// Entries stand apart by a bar.
const list = (text: string): string[] =>
  text
    .split(/[|\n]/)
    .map((entry) => entry.trim())
    .filter(Boolean)

/** Names of fields that sound like a secret, or like nothing at all. */
export const passedNames = list(`
  name | firstName | email | e-mail | username | user_name | login | loginName | phone | address | postalCode
  country_code | branch | maxTokens | max_tokens | max_token | maxToken | tokenCount | token_limit | token_symbol
  inputTokens | passwordPolicy | passwordPolicyLink | passwordLength | password_reset_url | passwordless
  apiVersion | apiKeyName | api_key_id | API_KEY_NAME | numberOfApiKeys | number_of_api_keys | secretName
  privateKeyPath | publicKey | ssh_public_key | primaryKey | primary_key_column | foreign_key | keyboardLayout
  shortcutKey | keywords | keynote | monkey | passenger | passport_number | compass | bypass | passRate
  boardingPass | pinned | pinColor | gpioPin | spinner | tokenizer | tokenization | secretary | secretariat
  cardTitle | businessCard | library_card_number | discard | cookieBannerText | seed | randomSeed | code
  language_code | errorCode | key | value | cc | bcc | notes | s3Bucket | oauth2Scope | sha256 | p1 | a1b2c3
`)

/** Titles, in several languages. */
export const passedTitles = list(`
  Name | E-mail | User name | Phone number | Password policy link | Max tokens | Number of tokens | Token count
  Secret Santa budget
  Library card number | Loyalty card numbers | GPIO pin | Pin to dashboard
  Keyboard layout | Primary key column | API version | Business card
  Number of API keys to create | How many access tokens? | Name of the API key | Label for your token
  Length of the password | Reason for rotating the API key | Reason for revoking this token | Password expiry (days)
  Password manager | Access token lifetime | API key rotation period | PIN color | Number of credit cards
  Message to Ken | Share of p in percent | Amount in PLN | Bypass words | Season pass | Boarding pass
  The secretary's name | Code of conduct | Postal code | ID card number | Passwortrichtlinie | Anzahl der Token
  Stichwörter | Problem lösen | Name des Vereins | Nom de famille | Nombre de jetons | Mots clés | Palabras clave
  Longitud de la contraseña | Política de contraseñas | Desenhar | Parola chiave | Numero di telefono
  Sleutelwoorden | Adresse e-mail | Электронная почта | Ключевые слова | Имя пользователя | Όνομα χρήστη
  Ταχυδρομικός κωδικός | 用户名 | 密码策略 | 密码长度 | 关键词 | ユーザー名 | トークン数 | パスワードポリシー | 사용자 이름 | 토큰 수 | 암호화 | الاسم الكامل
  שם משתמש | उपयोगकर्ता नाम | Tên đăng nhập | Nama pengguna | Şifreleme | 😀 | $$$ | ...
`)

/** Descriptions of a field that is called `value`. */
export const passedDescriptions = list(`
  Your favorite integer (do not give us your phone number, pin, or other sensitive info)
  A nickname. Never share your real name, password, or address. | Do not enter names, tokens, or keys
  Don't include account numbers, PINs or passwords | Please do not send us any credit card, bank or password data
  Do not give us your phone number or pin
  The name that other people see. | Never enter your password here. | Never enter your password or PIN here.
  Don't type your API key. | Do not share any passwords. | Your user name, not your password.
   | The link to the password policy page.
  The name of the API key, as shown in the settings. | At most this many tokens. | It isn't a password.
`)

/** Messages over one text field that is called `value`. */
export const passedMessages = list(`
  Which branch should be released? | Please enter your name. | Rotate the API key of Stripe?
  Your password expires tomorrow. When should we remind you? | The token of the build was revoked. Enter a comment.
  Please give a reason for revoking the token. | How should the new project be called?
  Enter the number of API keys to create. | Choose a name for the API key. | Never enter your password here.
  Enter your name. Never enter your password or PIN. | The API key was found in a public repository. | 请输入您的姓名
  お名前を入力してください | Das Passwort läuft bald ab.
`)
