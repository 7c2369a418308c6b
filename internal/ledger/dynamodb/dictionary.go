package dynamodb

// dictionary primes the compression of format 1 with what rows, events and bodies look like, the most common last. It must never change:
// a stored blob can only be read with the dictionary it was written with (a test holds its hash).
const dictionary = `{"kind":"noted","at":","actor":"operator","reason":"closed with a contact id"}{"kind":"tainted","signed":","phantom":true,"reason":"restore"}` +
	`{"kind":"ring-confirmed","ring":1}{"kind":"ring-opened","next":{"ring":1,"cause":"operator","requestedAt":","tier":"payload","reason":"window","actor":","due":"` +
	`{"kind":"superseded"}{"kind":"body-attached"}{"kind":"tombstone","before":"{"kind":"cancel-requested","hits":true}{"kind":"canceled"}{"kind":"expired"}` +
	`"code":"not_after","message":"The time limit notAfter had passed when the request arrived."{"kind":"doubted","code":"in_doubt","reason":"evidence"` +
	`{"kind":"looked","due":"{"kind":"failed","code":"destination_refused","message":"{"kind":"contact","contactId":","from":"event","initiated":"` +
	`{"kind":"held","due":","reason":"pacing"}"reason":"setup"}"reason":"search_pacing"}"reason":"quiet_hours"}"paused"}"deadline"}` +
	`"class":"ambiguous","class":"throttled","code":"too_many_requests","message":"The request rate is too high.""class":"refused_setup","code":"access_denied",` +
	`"class":"refused_request","code":"invalid_parameter","code":"destination_not_allowed","code":"outbound_contact_not_permitted","class":"not_sent",` +
	`"state":"received","state":"failed","state":"canceled","state":"expired","state":"in_doubt","state":"dialing","cause":"window","linkedTo":"` +
	`,"askedToken":"","lastRing":1,"next":{"placedThrough":"","canceledBefore":"","anomalies":["","cancelRequested":"","tombstone":true,"looks":1,"lastLook":"` +
	`,"retries":1,"refused":"","setupRefused":true,"setupRefusals":1,"superseded":"","dueReason":"answer_pending","recallId":"","keySpace":"","instead":"` +
	`"delivery":{"source":"http","source":"sns","source":"eventbridge","source":"direct","origin":"","replay":"` +
	`arn:aws:sqs:us-east-1:123456789012:arn:aws:sqs:us-west-2:arn:aws:sqs:eu-central-1:arn:aws:sqs:eu-west-2:arn:aws:sqs:ap-southeast-1:arn:aws:sqs:ap-northeast-1:` +
	`{"Attributes":{"language":"ja-JP","ringonceCallId":""},"ClientToken":"","ContactFlowId":"","DestinationPhoneNumber":"+8190","InstanceId":"","Name":"ringonce-` +
	`","QueueId":"","RingTimeoutInSeconds":30,"SourcePhoneNumber":"+81"}` +
	`{"schema":1,"id":"","key":{"kind":"voice","notificationId":"notification-","recipientId":"user-"},"version":2,"state":"placed","cause":"request","fingerprint":"` +
	`","destination":"+8190","attributes":{"language":"ja-JP"},"profile":"alert","token":"","requestedAt":"2026-11-29T03:00:00Z","tier":"payload","notAfter":"2026-` +
	`","acceptedAt":"2026-","finalAt":"2026-","firstSigned":"2026-","pinHash":"","target":{"region":"ap-northeast-1","instanceId":"` +
	`"},"open":[{"id":"","opened":"2026-","leaseEnd":"2026-","answered":true}],"attemptCount":1,"tokenUsed":true,"due":"2026-","contactId":"","contactFrom":"answer",` +
	`"placedAt":"2026-","head":""}` +
	`{"kind":"accepted","at":"2026-","opening":{"key":{"kind":"voice","notificationId":"notification-","recipientId":"user-"},"cause":"request","fingerprint":"` +
	`"},"profile":"alert","token":"","requestedAt":"2026-","tier":"message"},"delivery":{"source":"sqs","producer":"arn:aws:sqs:","id":"","receiveCount":1},` +
	`"attempt":{"id":"","opened":"2026-","leaseEnd":"2026-"},"pin":"","target":{"region":"us-east-1","instanceId":"","signed":"2026-","due":"2026-"}` +
	`{"kind":"intent","at":"2026-","attempt":{"id":"{"kind":"result","at":"2026-","attemptId":"","class":"ok","took":123456789,"contactId":"","from":"answer"}`
