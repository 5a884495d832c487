;;; acp-el.el --- Drives an agent with acp.el in Emacs.  See Task in ../program.ts.  -*- lexical-binding: t -*-

(require 'json)
(let* ((task (json-parse-string (car (last command-line-args)) :object-type 'alist :array-type 'list))
       (cwd (alist-get 'cwd task))
       (step nil)
       (text "")
       (session-id nil)
       (client nil))
  (setq command-line-args-left nil)
  (add-to-list 'load-path (alist-get 'modules task))
  (require 'acp)
  (setq default-directory (file-name-as-directory cwd))
  (setq client (acp-make-client :command (alist-get 'command task)
                                :command-params (alist-get 'args task)))
  (cl-labels
      ((request (value)
         (let ((done nil) (result nil))
           (acp-send-request :client client :request value
                             :on-success (lambda (response) (setq result response done t))
                             :on-failure (lambda (&rest failure) (setq result failure done 'failed)))
           (while (not done) (accept-process-output nil 0.01))
           (when (eq done 'failed) (error "The request failed: %S" result))
           result))
       (chosen (options)
         (let ((kind (if (equal (alist-get 'permission step) "allow") "allow_once" "reject_once")))
           (alist-get 'optionId (seq-find (lambda (option) (equal (alist-get 'kind option) kind))
                                          options))))
       (answer (incoming)
         (let ((id (alist-get 'id incoming)) (params (alist-get 'params incoming)))
           (acp-send-response
            :client client
            :response
            (pcase (alist-get 'method incoming)
              ("session/request_permission"
               (acp-make-session-request-permission-response
                :request-id id :option-id (chosen (alist-get 'options params))))
              ("fs/read_text_file"
               (let ((path (alist-get 'path params)))
                 (if (file-exists-p path)
                     (acp-make-fs-read-text-file-response
                      :request-id id
                      :content (with-temp-buffer (insert-file-contents path) (buffer-string)))
                   (acp-make-fs-read-text-file-response
                    :request-id id
                    :error (acp-make-error :code -32002 :message "Resource not found")))))
              ("fs/write_text_file"
               (write-region (alist-get 'content params) nil (alist-get 'path params) nil 'silent)
               (acp-make-fs-write-text-file-response :request-id id))))))
       (notified (notification)
         (let ((update (map-nested-elt notification '(params update))))
           (when (and (equal (alist-get 'method notification) "session/update")
                      (equal (alist-get 'sessionUpdate update) "agent_message_chunk"))
             (setq text (concat text (map-nested-elt update '(content text))))
             (let ((cancel-at (alist-get 'cancelAt step)))
               (when (and cancel-at (string-search cancel-at text))
                 (setq step nil)
                 (acp-send-notification
                  :client client
                  :notification (acp-make-session-cancel-notification :session-id session-id)))))))
       (do-step ()
         (pcase (alist-get 'do step)
           ("open"
            (setq session-id
                  (alist-get 'sessionId
                             (request (acp-make-session-new-request :cwd cwd :mcp-servers []))))
            `((sessionId . ,session-id)))
           ("load"
            (setq session-id (alist-get 'sessionId step))
            (request (acp-make-session-load-request
                      :session-id session-id :cwd cwd :mcp-servers []))
            `((sessionId . ,session-id)))
           ("prompt"
            (setq text "")
            (let ((response (request (acp-make-session-prompt-request
                                      :session-id session-id
                                      :prompt `[((type . "text") (text . ,(alist-get 'text step)))]))))
              `((text . ,text) (stopReason . ,(alist-get 'stopReason response))))))))
    (acp-subscribe-to-notifications :client client :on-notification #'notified)
    (acp-subscribe-to-requests :client client :on-request #'answer)
    (request (acp-make-initialize-request :protocol-version 1
                                          :read-text-file-capability t
                                          :write-text-file-capability t))
    (dolist (next (alist-get 'steps task))
      (setq step next)
      (princ (format "@@step %s\n" (json-encode (do-step)))))
    (acp-shutdown :client client)))
